// Package presencetest proves that a [presence.Store] keeps its contract.
//
// [Run] is the conformance suite: one test for each promise, and for each case
// that users of presence systems reported (docs/cases.md) and a store decides.
// [Model] drives two stores with the same random commands and compares
// all they say; [Naive] is a store so plain that it can be the measure.
//
// Both assume what the contract says and no more: events are in order for each
// user, not over all of them.
package presencetest
