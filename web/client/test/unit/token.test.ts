import { expect, test } from "vitest";
import { createTokens } from "../../src/token.js";

/** A provider that renews: each token but the newest is void. */
function provider() {
  let asked = 0;
  return { source: async () => `token-${++asked}`, count: () => asked };
}

test("several who want a new token at a time get one", async () => {
  const { source, count } = provider();
  const tokens = createTokens(source);
  expect(await Promise.all([tokens.current(), tokens.fresh(), tokens.current()])).toEqual(new Array(3).fill("token-1"));
  expect(await tokens.fresh()).toBe("token-2");
  expect(count()).toBe(2);
});

test("requests that were refused with the same token renew it once, however late they come", async () => {
  const { source, count } = provider();
  const tokens = createTokens(source);
  const old = await tokens.current();
  expect(await Promise.all([tokens.instead(old), tokens.instead(old)])).toEqual(["token-2", "token-2"]);
  expect(await tokens.instead(old)).toBe("token-2");
  expect(await tokens.instead("token-2")).toBe("token-3");
  expect(count()).toBe(3);
});

test("a provider that fails is asked again by whoever comes next", async () => {
  let asked = 0;
  const tokens = createTokens(() => (++asked === 1 ? Promise.reject(new Error("no")) : "token"));
  await expect(tokens.current()).rejects.toMatchObject({ code: "TOKEN", message: "no" });
  expect(await tokens.instead("old")).toBe("token");
});
