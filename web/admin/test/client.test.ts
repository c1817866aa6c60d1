// The console's questions, and what becomes of the answers.
import { afterEach, expect, test, vi } from "vitest";
import { connect } from "../src/api/client";
import { everybody } from "../src/list/order";

afterEach(() => void vi.unstubAllGlobals());

/** The server's next answer, and what it was asked. */
function answer(body: object) {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(body));
  vi.stubGlobal("fetch", fetch);
  return () => JSON.parse(String(fetch.mock.calls[0]?.[1].body)).variables as Record<string, unknown>;
}

const noDirectory = { message: "the user directory is unavailable", extensions: { code: "UNAVAILABLE" } };
const ann = {
  id: "ann",
  name: null,
  avatarUrl: null,
  level: null,
  presence: { userId: "ann", status: "ONLINE", lastActiveAt: "2027-01-15T08:00:00.000Z", onlineSince: null },
};
const request = { first: 100, after: null, order: "LAST_ACTIVE_DESC", filter: everybody } as const;

test("a page is asked for by what narrows it alone, and its times are read", async () => {
  const pageInfo = { hasNextPage: true, endCursor: "c" };
  const asked = answer({ data: { onlineUsers: { nodes: [ann], totalCount: 2, pageInfo } } });
  const page = await connect("t").page({ ...request, after: "b", filter: { ...everybody, minLevel: 3 } });
  expect(asked()).toEqual({ first: 100, after: "b", orderBy: "LAST_ACTIVE_DESC", filter: { minLevel: 3 } });
  expect(page).toMatchObject({ totalCount: 2, hasNextPage: true, endCursor: "c" });
  expect(page.users[0]?.presence).toEqual({
    status: "ONLINE",
    lastActiveAt: Date.UTC(2027, 0, 15, 8),
    onlineSince: null,
    deviceId: null,
  });
});

test("a directory that can't be read leaves names out, and is no store that is down", async () => {
  const pageInfo = { hasNextPage: false, endCursor: null };
  answer({ data: { onlineUsers: { nodes: [ann], totalCount: 1, pageInfo } }, errors: [noDirectory] });
  expect((await connect("t").page(request)).users.map(({ id, name }) => [id, name])).toEqual([["ann", null]]);
  answer({ data: { users: [ann] }, errors: [noDirectory] });
  expect((await connect("t").users(["ann"])).map((user) => user?.id)).toEqual(["ann"]);
});

test("who is null on account of an error is not called unknown", async () => {
  answer({ data: { users: [null] }, errors: [noDirectory] });
  await expect(connect("t").users(["ann"])).rejects.toMatchObject({ code: "UNAVAILABLE" });
  answer({ data: { users: [null] } });
  expect(await connect("t").users(["nobody"])).toEqual([null]);
});
