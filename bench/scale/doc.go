// Package scale measures what a million users online cost, on a Redis Cluster of
// three primaries that it starts.
//
// Two clusters hold a population each, laid out alike: many users, and few to
// compare with. Whatever is compared is measured in turn, small steps of the one and
// the other, so that a machine that is busy otherwise slows both.
//
//	few  ──▶ store ──▶ 3 primaries      sweeper, as every node has one
//	many ──▶ store ──▶ 3 primaries      sweeper, feed.Hub ──▶ witness of all events
//
// Speeds are reported next to their targets and fail nothing. Answers are checked
// all along, and what is wrong fails: a total, an order, an event that is
// missing, doubled or uncalled for.
//
// Without flags the populations are small, and the test takes seconds. make
// bench-scale gives it its full size; the figures are in docs/benchmarks.md.
package scale
