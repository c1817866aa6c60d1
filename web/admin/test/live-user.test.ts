import { RollcallError } from "@rollcall/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Desk } from "../src/desk/desk";
import type { User } from "../src/presence";
import { LiveUser } from "../src/user/live-user";
import { fakeApi } from "./fake-api";
import { event, user } from "./users";

let api: ReturnType<typeof fakeApi>;
let desk: Desk;
let live: LiveUser;

const ann = user("ann", 300);
const gone = user("ann", 300, { status: "OFFLINE" });

function open(id = "ann") {
  live = new LiveUser(desk, id);
  return vi.advanceTimersByTimeAsync(0);
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal("document", { hidden: false });
  api = fakeApi();
  desk = new Desk(api);
  api.open();
  api.users.mockResolvedValue([ann]);
});
afterEach(() => {
  live.close();
  desk.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("is read at once, when something happens, and every five seconds by a page that is seen", async () => {
  await open();
  expect([live.state.value, live.user.value]).toEqual(["ready", ann]);
  api.users.mockResolvedValue([gone]);
  api.tell({ events: [event("OFFLINE", gone, "EXPIRED"), event("ONLINE", user("bob", 1))] });
  await vi.advanceTimersByTimeAsync(0);
  expect([live.user.value, live.reason.value]).toEqual([gone, "EXPIRED"]);
  expect(live.log.newestFirst()).toHaveLength(1);
  expect(api.users).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(api.users).toHaveBeenCalledTimes(3);
  vi.stubGlobal("document", { hidden: true });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(api.users).toHaveBeenCalledTimes(3);
});

test("an event changes status and reason at once, and keeps what it does not tell", async () => {
  api.users.mockResolvedValue([{ ...ann, name: "Ann", presence: { ...ann.presence, deviceId: "laptop" } }]);
  await open();
  api.users.mockImplementation(() => new Promise(() => {}));
  api.tell({ events: [event("UPDATED", user("ann", 400, { status: "AWAY" }))] });
  expect(live.user.value).toMatchObject({ name: "Ann", presence: { status: "AWAY", deviceId: "laptop" } });
  api.tell({ events: [event("OFFLINE", gone, "DISCONNECTED")] });
  expect(live.user.value).toMatchObject({ name: "Ann", presence: { status: "OFFLINE", deviceId: null } });
  expect(live.reason.value).toBe("DISCONNECTED");
});

test("a server that is slow to answer is waited for", async () => {
  let answer: (users: User[]) => void = () => {};
  api.users.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  await open();
  await vi.advanceTimersByTimeAsync(12_000);
  expect(api.users).toHaveBeenCalledOnce();
  answer([ann]);
  await vi.advanceTimersByTimeAsync(0);
  expect(live.user.value).toBe(ann);
});

test("an answer that is older than an event does not come on top of what follows", async () => {
  await open();
  let answer: (users: User[]) => void = () => {};
  api.users.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  void live.read();
  api.users.mockResolvedValue([gone]);
  api.tell({ events: [event("OFFLINE", gone, "SIGNED_OUT")] });
  await vi.advanceTimersByTimeAsync(0);
  answer([ann]);
  await vi.advanceTimersByTimeAsync(0);
  expect(live.user.value).toBe(gone);
});

test("who is not known, what is no id, and a server that can't tell are three things", async () => {
  api.users.mockResolvedValue([null]);
  await open("nobody");
  expect(live.state.value).toBe("unknown");
  live.close();
  api.users.mockRejectedValue(new RollcallError("BAD_USER_INPUT", "no id"));
  await open("no id");
  expect(live.state.value).toBe("unknown");
  live.close();
  api.users.mockRejectedValue(new RollcallError("UNAVAILABLE", "down"));
  await open();
  expect(live.state.value).toBe("failed");
  api.users.mockResolvedValue([ann]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(live.state.value).toBe("ready");
});

test("closed: asks and hears nothing more", async () => {
  await open();
  live.close();
  api.tell({ events: [event("OFFLINE", gone, "EXPIRED")] });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(api.users).toHaveBeenCalledOnce();
});
