import { expect, test } from "vitest";
import { describe as say, eventTypes, wanted } from "../src/events/filter";
import { EventLog } from "../src/events/log";
import { event, user } from "./users";

const online = (id: string, name?: string) => event("ONLINE", user(id, 1, name === undefined ? {} : { name }));
const lines = (log: EventLog) =>
  log.newestFirst().map((entry) => (entry.kind === "event" ? entry.event.user.id : entry.kind));

test("the newest is first, and no more are kept than fit", () => {
  const log = new EventLog(3);
  for (let i = 1; i <= 100; i++) log.push([online(`u${i}`)]);
  expect(lines(log)).toEqual(["u100", "u99", "u98"]);
  expect(log.last).toBe(100);
  log.push(Array.from({ length: 10 }, (_, i) => online(`v${i}`)));
  expect(lines(log)).toEqual(["v9", "v8", "v7"]);
});

test("who is wanted is found in a burst of more than the log holds", () => {
  const log = new EventLog(2, wanted({ user: "ann", types: new Set(eventTypes) }));
  log.push([online("ann"), ...Array.from({ length: 5000 }, (_, i) => online(`u${i}`))]);
  expect(lines(log)).toEqual(["ann"]);
});

test("interruptions are marked where they were", () => {
  const log = new EventLog(10);
  log.push([online("a")]);
  log.gap(5);
  log.push([online("b")]);
  log.resumed(6, 1200);
  expect(lines(log)).toEqual(["resumed", "b", "gap", "a"]);
});

test("a narrowed log keeps what its reader wants, and goes on by itself", () => {
  const log = new EventLog(10);
  log.push([online("ann"), online("bob")]);
  log.gap(1);
  const ofBob = log.narrowed(10, wanted({ user: "bob", types: new Set(eventTypes) }));
  ofBob.push([online("ann"), online("bobby")]);
  expect(lines(ofBob)).toEqual(["bobby", "gap", "bob"]);
});

test("events are wanted by type, and by a part of id or name in any case", () => {
  const accepts = wanted({ user: " ARD ", types: new Set(["ONLINE"]) });
  expect(accepts(online("u1", "Alice Arden"))).toBe(true);
  expect(accepts(online("ward"))).toBe(true);
  expect(accepts(online("u2", "Bob"))).toBe(false);
  expect(accepts(event("UPDATED", user("ward", 1)))).toBe(false);
});

test("each event is said in words", () => {
  const gone = user("a", 1, { status: "OFFLINE" });
  const words = [
    online("a"),
    event("UPDATED", user("a", 1, { status: "AWAY" })),
    event("UPDATED", user("a", 1)),
    event("OFFLINE", gone, "SIGNED_OUT"),
    event("OFFLINE", gone, "EXPIRED"),
    event("OFFLINE", gone, "DISCONNECTED"),
    event("OFFLINE", gone),
  ].map(say);
  expect(new Set(words).size).toBe(words.length);
});
