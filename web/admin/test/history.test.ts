import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Desk } from "../src/desk/desk";
import { hourMs, OnlineHistory } from "../src/overview/history";
import { fakeApi } from "./fake-api";

const hour = 3_600_000;
const server = 1_800_000_000_000;

beforeEach(() => void vi.stubGlobal("document", { hidden: false }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  ["right", 0],
  ["two hours ahead", 2 * hour],
  ["two hours behind", -2 * hour],
])("a machine whose clock is %s: what is seen is drawn where the server's clock has it", async (_, ahead) => {
  vi.useFakeTimers({ now: server + ahead });
  const from = Date.now();
  const api = fakeApi();
  let tellTime = () => {};
  api.serverTime.mockImplementation(() => new Promise((resolve) => (tellTime = () => resolve(server))));
  const desk = new Desk(api);
  const history = new OnlineHistory(desk);
  api.open();
  api.tellCount(7); // before the server has named its time
  await vi.advanceTimersByTimeAsync(0);
  expect(history.points.value).toEqual([]);
  expect(api.history).not.toHaveBeenCalled();

  tellTime();
  await vi.advanceTimersByTimeAsync(0);
  const told = server + (Date.now() - from);
  expect(api.history.mock.calls.map(([since]) => Math.abs(since - (told - hourMs)) < 1000)).toEqual([true]);
  await vi.advanceTimersByTimeAsync(10_000);
  api.tellCount(9);
  expect(history.points.value.map(({ value }) => value)).toEqual([7, 9]);
  for (const { at } of history.points.value) expect(Math.abs(at - server)).toBeLessThan(20_000);
  history.close();
  desk.close();
});

test("where the record can't be read, that is said", async () => {
  vi.useFakeTimers({ now: server });
  const api = fakeApi();
  api.history.mockRejectedValueOnce(new Error("no"));
  const desk = new Desk(api);
  const history = new OnlineHistory(desk);
  api.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(history.failed.value).toBe(true);
  api.history.mockResolvedValue([{ at: server - 60_000, peak: 3, average: 2 }]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(history.failed.value).toBe(false);
  expect(history.points.value).toEqual([{ at: server - 60_000, value: 2 }]);
  history.close();
  desk.close();
});
