import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RollcallError } from "@rollcall/client";
import { Desk } from "../src/desk/desk";
import { event, user } from "./users";
import { fakeApi } from "./fake-api";

let api: ReturnType<typeof fakeApi>;
let desk: Desk;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal("document", { hidden: false });
  api = fakeApi();
  desk = new Desk(api);
});
afterEach(() => {
  desk.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const kinds = () => desk.log.newestFirst().map((entry) => (entry.kind === "event" ? entry.event.user.id : entry.kind));

test("live is said once deltas come, not before", () => {
  expect(desk.phase.value.name).toBe("connecting");
  api.link({ state: "open" });
  expect(desk.phase.value.name).toBe("connecting");
  api.tell({});
  expect(desk.phase.value.name).toBe("live");
});

test("a connection that is lost and resumed leaves a mark before what was missed", () => {
  api.open();
  api.tell({ events: [event("ONLINE", user("ann", 1))] });
  api.link({ state: "lost", retryAt: 1_001_000 });
  expect(desk.phase.value).toEqual({ name: "reconnecting", since: 1_000_000, retryAt: 1_001_000 });
  vi.advanceTimersByTime(1500);
  api.link({ state: "connecting" });
  api.link({ state: "open" });
  expect(desk.phase.value).toMatchObject({ name: "reconnecting", retryAt: null });
  api.tell({});
  api.tell({ events: [event("ONLINE", user("bob", 2))] });
  expect(desk.phase.value.name).toBe("live");
  expect(kinds()).toEqual(["bob", "resumed", "ann"]);
  expect(desk.log.newestFirst()[1]).toMatchObject({ lostMs: 1500 });
});

test("a reset leaves a gap, and no word that nothing was missed", () => {
  api.open();
  api.link({ state: "lost", retryAt: null });
  api.link({ state: "open" });
  api.tell({ reset: true });
  api.tell({});
  expect(kinds()).toEqual(["gap"]);
});

test("a connection that is lost before it told anything has nothing to resume", () => {
  api.link({ state: "open" });
  api.link({ state: "lost", retryAt: null });
  api.open();
  expect(kinds()).toEqual([]);
});

test("sign-ins and expiries are counted by the server's seconds", () => {
  api.open();
  const at = (event_: ReturnType<typeof event>, time: number) => ({ ...event_, at: time });
  const gone = user("eve", 1, { status: "OFFLINE" });
  api.tell({
    events: [
      at(event("ONLINE", user("ann", 1)), 2_000_100),
      at(event("ONLINE", user("bob", 1)), 2_000_900),
      at(event("UPDATED", user("bob", 1)), 2_000_900),
      at(event("OFFLINE", gone, "EXPIRED"), 2_001_000),
      at(event("OFFLINE", gone, "SIGNED_OUT"), 2_001_000),
    ],
  });
  expect(desk.clock.now()).toBe(2_001_000);
  expect(desk.signIns.series(2_002_000).slice(-2)).toEqual([2, 0]);
  expect(desk.expiries.series(2_002_000).slice(-2)).toEqual([0, 1]);
});

test("calls that fail say how the server is, and fail all the same", async () => {
  api.open();
  const down = desk.ask(Promise.reject(new RollcallError("UNAVAILABLE", "down")));
  await expect(down).rejects.toThrow("down");
  expect(desk.phase.value.name).toBe("unavailable");
  api.tellCount(7);
  expect(desk.phase.value.name).toBe("live");
  expect(desk.online.value).toBe(7);
});

test("the cluster is read every two seconds, but not by a page that nobody sees", async () => {
  api.open();
  await vi.advanceTimersByTimeAsync(4000);
  const asked = api.cluster.mock.calls.length;
  expect(asked).toBeGreaterThanOrEqual(2);
  vi.stubGlobal("document", { hidden: true });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(api.cluster.mock.calls.length).toBe(asked);
});

test("a cluster that is slow to answer is not asked again meanwhile", async () => {
  api.open();
  await vi.advanceTimersByTimeAsync(0);
  let answer = () => {};
  const slow = await api.cluster();
  api.cluster.mockImplementation(() => new Promise((resolve) => (answer = () => resolve(slow))));
  const asked = api.cluster.mock.calls.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(api.cluster.mock.calls.length).toBe(asked + 1);
  answer();
  await vi.advanceTimersByTimeAsync(2000);
  expect(api.cluster.mock.calls.length).toBe(asked + 2);
});

test("after it is closed nothing is learnt or asked any more", async () => {
  api.open();
  desk.close();
  api.link({ state: "refused", message: "closed" });
  const asked = api.cluster.mock.calls.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(desk.phase.value.name).toBe("live");
  expect(api.cluster.mock.calls.length).toBe(asked);
  expect(api.close).toHaveBeenCalledOnce();
});
