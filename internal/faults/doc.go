// Package faults proves that the service keeps its promises while what it runs on
// breaks: its tests run real `rollcall` processes on real Redis servers, and kill,
// freeze, empty and cut them off.
//
//	devices ──▶ node ──┐
//	devices ──▶ node ──┼─▶ Redis          recorder ◀── presenceChanged of any node
//	devices ──▶ node ──┘
//
// Devices beat as the README recommends: over HTTP when they are told to, or by a
// WebSocket's pongs, and they come back when their node is gone. A recorder
// subscribes to all events and resumes where it was. After the fault the events of
// each user are compared with what happened to that user: none is missing, none
// is told twice, and what the recorder believes is what every node lists.
//
// Two faults need more. A node whose clock is wrong is built on top of another package
// time (testdata/clock). And where Redis is cut off between two given calls, the parts
// of a node run in the test itself, without the node's own loops (member), so that calls can
// be counted.
//
// Without flags the tests are small and take about a minute in all. With -long
// (make test-faults) they have the sizes and durations that the promises name. Either way a
// table of what was measured follows the tests, if they are told with -v or -long.
package faults
