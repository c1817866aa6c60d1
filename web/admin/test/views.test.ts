// @vitest-environment happy-dom
// Views in a page, where how they follow the desk matters.
import { h, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RollcallError } from "@rollcall/client";
import { Desk } from "../src/desk/desk";
import { EventsView } from "../src/events/events-view";
import { LiveList } from "../src/list/live-list";
import { SearchResults } from "../src/list/search-results";
import { fakeApi } from "./fake-api";
import { event, user } from "./users";

let api: ReturnType<typeof fakeApi>;
let desk: Desk;
let list: LiveList;
let page: HTMLElement;

const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
const text = () => page.textContent ?? "";

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  api = fakeApi();
  desk = new Desk(api);
  api.open();
  list = new LiveList(desk);
  page = document.body.appendChild(document.createElement("main"));
  await pass(500);
});
afterEach(() => {
  act(() => render(null, page));
  page.remove();
  list.close();
  desk.close();
  vi.useRealTimers();
});

const search = (id: string) => act(() => render(h(SearchResults, { desk, list, text: id }), page));

test("who is found by id is looked up once they are typed, and followed from then on", async () => {
  api.users.mockImplementation(async (ids) => ids.map((id) => (id === "ann" ? user("ann", 1) : null)));
  await search("a");
  await pass(100);
  await search("ann");
  expect(text()).toContain("Searching…");
  await pass(300);
  expect(api.users.mock.calls).toEqual([[["ann"]]]);
  expect(text()).toContain("1 found.");
  expect(page.querySelector(".badge")?.textContent).toBe("Online");

  const gone = user("ann", 1, { status: "OFFLINE" });
  api.users.mockResolvedValue([gone]);
  api.tell({ events: [event("OFFLINE", gone, "EXPIRED")] });
  await pass(300);
  expect(page.querySelector(".badge")?.textContent).toBe("Expired");
});

test("a search that finds nobody and one that the server can't answer are two things", async () => {
  await search("nobody");
  await pass(300);
  expect(text()).toContain("Nobody found.");
  api.users.mockRejectedValue(new RollcallError("UNAVAILABLE", "down"));
  await search("ann");
  await pass(300);
  expect(text()).not.toContain("Nobody found.");
  expect(text()).toContain("can't be looked up at the moment");
});

test("an event that comes just after the stream was narrowed is in it", async () => {
  render(h(EventsView, { desk, userId: "ann" }), page);
  api.tell({ events: [event("ONLINE", user("ann", 1)), event("ONLINE", user("bob", 1))] });
  await pass(500);
  expect(desk.log.newestFirst()).toHaveLength(2);
  expect(text()).toContain("came online");
  expect(text()).not.toContain("No event that matches");
});
