// @vitest-environment happy-dom
// The React binding, in components that a page would have.
import { act, createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient } from "../../src/index.js";
import type { LinkSink } from "../../src/link.js";
import { useOnlineUsers, usePresence } from "../../src/react.js";
import { FakeBrowser } from "./browser.js";
import { connect, pass, present } from "./page.js";
import { FakeServer } from "./server.js";

let server: FakeServer;
let root: Root;
let page: HTMLElement;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  server = new FakeServer();
  page = document.createElement("main");
  root = createRoot(page);
});
afterEach(() => {
  act(() => root.unmount());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
const render = (component: () => string) => act(async () => root.render(createElement(component)));

test("usePresence shows how the presence stands", async () => {
  const presence = present(server, new FakeBrowser().open());
  await render(() => usePresence(presence).status);
  await act(() => pass(1));
  expect(page.textContent).toBe("online");
  server.takeOver();
  await act(() => pass(1));
  expect(page.textContent).toBe("replaced");
});

test("useOnlineUsers shows the list as it changes, and subscribes anew for other arguments", async () => {
  const streams: LinkSink[] = [];
  const asked: unknown[] = [];
  server.operations.set("onlineUsersChanged", (variables, sink) => {
    asked.push(variables);
    streams.push(sink);
    return () => void streams.splice(streams.indexOf(sink), 1);
  });
  const deliver = async (...ids: string[]) => {
    const nodes = ids.map((id) => ({ id, name: null, avatarUrl: null, level: null }));
    streams.at(-1)?.next({ data: { onlineUsersChanged: { totalCount: nodes.length, nodes, pageInfo: {} } } });
    await act(() => pass(0));
  };
  const client = createClient(connect(server, new FakeBrowser().open()));
  let first = 5;
  const list = () => {
    const { users, totalCount, loading, error } = useOnlineUsers(client, { first });
    return loading ? `loading ${error?.code ?? ""}` : `${totalCount}: ${users.map(({ id }) => id).join(" ")}`;
  };
  await render(list);
  expect(page.textContent).toBe("loading ");
  await act(() => pass(0));
  await deliver("ada");
  expect(page.textContent).toBe("1: ada");
  await deliver("ada", "bob");
  expect(page.textContent).toBe("2: ada bob");

  first = 1;
  await render(() => list());
  await act(() => pass(0));
  expect(asked).toEqual([{ first: 5 }, { first: 1 }]);
  expect(streams).toHaveLength(1);

  await act(async () => root.render(null));
  await act(() => pass(1));
  expect(streams).toHaveLength(0);
  expect(server.sockets.size).toBe(0);
});
