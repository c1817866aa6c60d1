// A node that is restarted: the other of two goes on, and nothing is lost or told twice.
import { expect, test } from "vitest";
import { createClient, createPresence } from "../../src/index.js";
import { as, eventually, record, startNode, startRedis } from "./node.js";

const leases = { ROLLCALL_TTL: "60s", ROLLCALL_BACKGROUND_TTL: "150s" };

test.each(["websocket", "sse"] as const)("a watch resumes with nothing lost or doubled (%s)", async (transport) => {
  await using redis = await startRedis();
  const settings = { ...leases, ROLLCALL_REDIS_URL: redis.url };
  await using other = await startNode(settings);
  let node = await startNode(settings);
  try {
    const watcher = createClient({ ...as("watcher", node), transport });
    const watch = watcher.watch();
    const told = await record(watch);
    const page = createPresence({ ...as("page", node), transport });
    const states: string[] = [];
    page.on("state", ({ status }) => states.push(status));
    await eventually(() => expect(told).toEqual(["page ONLINE"]));

    const beat = (user: string) =>
      createClient(as(user, other)).query<{ heartbeat: { session: string } }>(
        `mutation { heartbeat(input: { deviceId: "d" }) { session } }`,
      );
    await beat("before");
    await eventually(() => expect(told).toEqual(["page ONLINE", "before ONLINE"]));

    await node.stop();
    await eventually(() => expect(watcher.state.status).not.toBe("open"));
    const { heartbeat } = await beat("meanwhile");
    await createClient(as("meanwhile", other)).query(
      'mutation($session: String!) { goOffline(input: { deviceId: "d", session: $session }) { ended } }',
      heartbeat,
    );
    node = await startNode({ ...settings, ROLLCALL_HTTP_ADDR: node.host });
    await eventually(() => expect(watcher.state.status).toBe("open"));
    await beat("after");

    const all = ["page ONLINE", "before ONLINE", "meanwhile ONLINE", "meanwhile OFFLINE SIGNED_OUT", "after ONLINE"];
    await eventually(() => expect(new Set(told)).toEqual(new Set(all)));
    expect(told).toHaveLength(all.length);
    await eventually(() => expect([...watch.presences.keys()].sort()).toEqual(["after", "before", "page"]));
    // The page was never seen to leave, and its session goes on.
    await eventually(() => expect(page.state).toEqual({ status: "online" }));
    watcher.close();
    await page.stop();
  } finally {
    await node.stop();
  }
});

test("what is lost with the server's memory is told as a gap, and the map is right again", async () => {
  const before = await startNode(leases);
  const watcher = createClient(as("watcher", before));
  const watch = watcher.watch();
  const told = await record(watch);
  await createClient(as("ada", before)).query(`mutation { heartbeat(input: { deviceId: "d" }) { outcome } }`);
  await eventually(() => expect([...watch.presences.keys()]).toEqual(["ada"]));

  await before.stop();
  await using after = await startNode({ ...leases, ROLLCALL_HTTP_ADDR: before.host });
  await eventually(() => expect(told).toEqual(["ada ONLINE", "gap"]));
  await eventually(() => expect([watch.ready, watch.presences.size]).toEqual([true, 0]));
  await createClient(as("bob", after)).query(`mutation { heartbeat(input: { deviceId: "d" }) { outcome } }`);
  await eventually(() => expect([...watch.presences.keys()]).toEqual(["bob"]));
  watcher.close();
});
