// Being present, over each way to the server.
import { expect, test } from "vitest";
import { createClient, createPresence, type Presence, type PresenceOptions } from "../../src/index.js";
import { as, eventually, record, startNode } from "./node.js";

/** A presence, what it told, and the operations that it sent by POST. */
function present(options: PresenceOptions) {
  const posted: string[] = [];
  const presence: Presence = createPresence({
    ...options,
    fetch: (url, init) => {
      posted.push(/\{\s*(\w+)/.exec(JSON.parse(String(init.body)).query)?.[1] ?? "");
      return fetch(url, init);
    },
  });
  const told: string[] = [];
  presence.on("online", () => told.push("online"));
  presence.on("offline", ({ reason }) => told.push(`offline ${reason}`));
  presence.on("replaced", () => told.push("replaced"));
  presence.on("error", ({ code }) => told.push(`error ${code}`));
  return { presence, told, posted };
}

test.each(["websocket", "sse"] as const)("stays online, is replaced, and signs out (%s)", async (transport) => {
  await using node = await startNode();
  const watcher = createClient({ ...as("watcher", node), transport });
  const watch = watcher.watch({ userIds: ["ada"] });
  const [events, clock] = [await record(watch), await record(watcher.watch({ userIds: ["watcher"] }))];

  const laptop = present({ ...as("ada", node), transport, deviceId: "laptop" });
  await eventually(() => expect(events).toEqual(["ada ONLINE"]));
  expect(watch.presences.get("ada")?.status).toBe("ONLINE");

  // Longer than a lease: that of somebody who came later, and is silent, has ended meanwhile.
  await watcher.query(`mutation { heartbeat(input: { deviceId: "clock" }) { outcome } }`);
  await eventually(() => expect(clock).toEqual(["watcher ONLINE", "watcher OFFLINE EXPIRED"]));
  expect(events).toEqual(["ada ONLINE"]);
  expect(laptop.posted.filter((field) => field === "heartbeat").length > 0).toBe(transport === "sse");

  const phone = present({ ...as("ada", node), transport, deviceId: "phone" });
  await eventually(() => expect(laptop.told).toEqual(["online", "replaced"]));
  expect(events).toEqual(["ada ONLINE", "ada UPDATED"]);

  await phone.presence.stop();
  await eventually(() => expect(events).toEqual(["ada ONLINE", "ada UPDATED", "ada OFFLINE SIGNED_OUT"]));
  expect(phone.told).toEqual(["online", "offline signedOut"]);
  expect(laptop.told).toEqual(["online", "replaced"]);
  watcher.close();
});

test("an administrator ends it, and it stays ended", async () => {
  await using node = await startNode();
  const { presence, told } = present(as("ada", node));
  await eventually(() => expect(told).toEqual(["online"]));
  const admin = createClient(as("boss:admin", node));
  await admin.query(`mutation { disconnectUser(userId: "ada", reason: "test") { ended } }`);
  await eventually(() => expect(told).toEqual(["online", "offline ended"]));
  expect(presence.state).toEqual({ status: "offline", reason: "ended" });
});

test("a list of who is online, page by page", async () => {
  await using node = await startNode({ ROLLCALL_TTL: "60s", ROLLCALL_BACKGROUND_TTL: "150s" });
  const service = createClient(as("gateway:service", node));
  const ids = Array.from({ length: 25 }, (_, i) => `user-${String(i).padStart(2, "0")}`);
  await service.query("mutation($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted } }", {
    input: ids.map((userId) => ({ userId, deviceId: "d" })),
  });
  const seen: string[] = [];
  for await (const { id } of service.onlineUsers({ first: 7, orderBy: "LAST_ACTIVE_ASC" }).users()) seen.push(id);
  expect([...seen].sort()).toEqual(ids);
  const pages = [];
  for await (const page of service.onlineUsers({ first: 10 })) pages.push(page);
  expect(pages.map(({ nodes, totalCount }) => [nodes.length, totalCount])).toEqual([
    [10, 25],
    [10, 25],
    [5, 25],
  ]);
});

test("what is refused is told by its code", async () => {
  await using node = await startNode();
  const client = createClient(as("ada", node));
  await expect(client.query("{ cluster { online } }")).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(createClient({ ...as("ada", node), token: "nonsense" }).query("{ me { id } }")).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
  });
  const errors: string[] = [];
  const watch = client.watch({ since: "no cursor" });
  watch.on("error", ({ code }) => errors.push(code));
  await eventually(() => expect(errors).toEqual(["BAD_USER_INPUT"]));
});
