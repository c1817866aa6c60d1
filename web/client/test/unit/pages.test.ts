import { expect, test } from "vitest";
import { createClient } from "../../src/index.js";
import { FakeBrowser } from "./browser.js";
import { connect } from "./page.js";
import { FakeServer } from "./server.js";

test("pages are read when they are asked for, each after the last", async () => {
  const server = new FakeServer();
  const asked: unknown[] = [];
  server.operations.set("onlineUsers", (variables, sink) => {
    asked.push(variables);
    const from = Number(variables.after ?? 0);
    const nodes = [from, from + 1].map((id) => ({ id: String(id) }));
    const hasNextPage = from < 4;
    sink.next({
      data: { onlineUsers: { totalCount: 6, nodes, pageInfo: { hasNextPage, endCursor: String(from + 2) } } },
    });
    return undefined;
  });
  const client = createClient(connect(server, new FakeBrowser().open()));
  const args = { first: 2, filter: { minLevel: 3 } };

  const users: string[] = [];
  for await (const { id } of client.onlineUsers(args).users()) users.push(id);
  expect(users).toEqual(["0", "1", "2", "3", "4", "5"]);
  expect(asked).toEqual([args, { ...args, after: "2" }, { ...args, after: "4" }]);

  asked.length = 0;
  for await (const { totalCount } of client.onlineUsers(args)) {
    expect(totalCount).toBe(6);
    break;
  }
  expect(asked).toHaveLength(1);
});
