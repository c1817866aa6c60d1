import { vi } from "vitest";
import type { Api, Link } from "../src/api/api";
import type { Delta, Page, User } from "../src/presence";

/** A server of the test's making: its answers are properties to be set, and it tells what the test has it tell. */
export function fakeApi() {
  let told: (delta: Delta) => void = () => {};
  let linked: (link: Link) => void = () => {};
  let counted: (online: number) => void = () => {};
  const empty: Page = { users: [], endCursor: null, hasNextPage: false, totalCount: 0 };
  const api = {
    page: vi.fn<Api["page"]>(async () => empty),
    users: vi.fn<Api["users"]>(async (ids) => ids.map((): User | null => null)),
    cluster: vi.fn<Api["cluster"]>(async () => ({
      online: 0,
      shards: [],
      imbalance: 0,
      heartbeatsPerSecond: 0,
      subscribers: 0,
      usedMemoryBytes: 0,
      maxMemoryBytes: 0,
    })),
    history: vi.fn<Api["history"]>(async () => []),
    disconnect: vi.fn<Api["disconnect"]>(async () => true),
    refresh: vi.fn<Api["refresh"]>(async () => {}),
    serverTime: vi.fn<Api["serverTime"]>(async () => Date.now()),
    watch: (next: (delta: Delta) => void) => void (told = next),
    watchCount: (next: (online: number) => void) => void (counted = next),
    onLink: (next: (link: Link) => void) => void (linked = next),
    close: vi.fn(),
  } satisfies Api;
  return {
    ...api,
    /** What the server tells the page. */
    tell: (delta: Partial<Delta>) => told({ events: [], reset: false, ...delta }),
    tellCount: (online: number) => counted(online),
    /** How the connection becomes. */
    link: (link: Link) => linked(link),
    /** Connected, with the first delta. */
    open() {
      linked({ state: "open" });
      told({ events: [], reset: false });
    },
  };
}
