// GraphQL over HTTP, by the audits of the specification's reference implementation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serverAudits } from "graphql-http";
import { findServer } from "./server.mjs";

const timeout = 60_000;

/** @type {import("./server.mjs").Server} */
let server;
before(async () => {
  server = await findServer();
});
after(() => server.stop());

/** @type {Record<string, Record<string, string>>} what each kind of caller adds to a request */
const callers = { "without a token": {}, "with a token": { Authorization: "Bearer dev:alice" } };

for (const [who, added] of Object.entries(callers)) {
  test(`the audits pass ${who}, with no error and no warning`, { timeout }, async (t) => {
    // Its address is known when the tests run, and the audits are to be listed before.
    const audits = serverAudits({
      url: () => new URL("graphql", server.url).href,
      fetchFn: (/** @type {string} */ url, /** @type {RequestInit} */ init = {}) =>
        fetch(url, { ...init, headers: { ...added, ...Object.fromEntries(new Headers(init.headers)) } }),
    });
    assert.ok(audits.length > 50, "there are audits");
    for (const audit of audits) {
      await t.test(`${audit.id} ${audit.name}`, async () => {
        const result = await audit.fn();
        const may = audit.name.startsWith("MAY ");
        assert.ok(result.status === "ok" || (may && result.status === "notice"), `${result.status}: ${"reason" in result && result.reason}`);
      });
    }
  });
}

test("a batch is refused in words", { timeout }, async () => {
  const answer = await fetch(new URL("graphql", server.url), {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer dev:alice" },
    body: JSON.stringify([{ query: "{ onlineCount }" }, { query: "{ onlineCount }" }]),
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(await answer.json(), {
    errors: [{ message: "batched requests are not supported", extensions: { code: "BAD_USER_INPUT" } }],
  });
});
