import type { RollcallError } from "@rollcall/client";
import type { Filter, Order } from "../list/order";
import type { Cluster, Delta, OnlinePoint, Page, User } from "../presence";

/** How the connection to the server is. Times are our own clock's. */
export type Link =
  | { state: "connecting" }
  | { state: "open" }
  /** Lost; `retryAt` is when it is tried again, null while it is being tried. */
  | { state: "lost"; retryAt: number | null }
  /** The server has refused the token. */
  | { state: "refused"; message: string };

/** A part of the list. */
export interface PageRequest {
  first: number;
  after: string | null;
  order: Order;
  filter: Filter;
}

/** What the console asks of the server. Calls fail with a RollcallError. A directory that can't be read only leaves details out. */
export interface Api {
  page(request: PageRequest): Promise<Page>;
  /** In the ids' order; null for who is not known. At most 500 ids. */
  users(ids: readonly string[]): Promise<(User | null)[]>;
  cluster(): Promise<Cluster>;
  /** The online count by the minute since a time of the server's. */
  history(from: number): Promise<OnlinePoint[]>;
  /** Whether the user had a live session. */
  disconnect(id: string, reason: string): Promise<boolean>;
  /** Has the user's details read from the database again. */
  refresh(id: string): Promise<void>;
  /** The server's time now, or up to a second and the way here before. */
  serverTime(): Promise<number>;
  /**
   * Tells of all transitions, over reconnects without gap or repetition unless a delta says `reset`. Each
   * connection begins with a delta, be it empty.
   */
  watch(next: (delta: Delta) => void, failed: (error: RollcallError) => void): void;
  /** Tells the online count, at most once a second, and when the server can't: it is asked again by itself. */
  watchCount(next: (online: number) => void, failed: (error: RollcallError) => void): void;
  /** Tells how the connection is, whenever that changes. */
  onLink(next: (link: Link) => void): void;
  close(): void;
}
