// @vitest-environment happy-dom
// The React binding, in components that a page would have.
import { act, createElement, StrictMode } from "react";
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
const strict = (component: () => string) =>
  act(async () => root.render(createElement(StrictMode, null, createElement(component))));
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

test("useOnlineUsers says why the list is not kept current, and stops saying it", async () => {
  server.operations.set("onlineUsersChanged", (_, sink) => {
    sink.next({ data: { onlineUsersChanged: { totalCount: 0, nodes: [], pageInfo: {} } } });
    return () => {};
  });
  const client = createClient(connect(server, new FakeBrowser().open()));
  await strict(() => {
    const { loading, error } = useOnlineUsers(client);
    return `${loading ? "loading" : "ready"} ${error?.code ?? ""}`;
  });
  await act(() => pass(1));
  expect(page.textContent).toBe("ready ");
  await act(async () => server.goDown());
  await act(() => pass(1));
  expect(page.textContent).toBe("ready NETWORK");
  server.up = true;
  await act(() => pass(30));
  expect(page.textContent).toBe("ready ");
  await act(async () => client.close());
  expect(page.textContent).toBe("ready NETWORK");
});

test("in StrictMode, which mounts twice, all is once", async () => {
  const streams = new Set<LinkSink>();
  server.operations.set("onlineUsersChanged", (_, sink) => {
    streams.add(sink);
    return () => void streams.delete(sink);
  });
  const presence = present(server, new FakeBrowser().open());
  await strict(() => {
    useOnlineUsers(presence.client);
    return usePresence(presence).status;
  });
  await act(() => pass(1));
  expect(page.textContent).toBe("online");
  expect([server.dials.length, server.beats.length, streams.size]).toEqual([1, 1, 1]);
  await act(async () => root.render(null));
  await act(() => pass(1));
  expect(streams.size).toBe(0);
});
