/** The client's words, with times in milliseconds since 1970. */
import type { PresenceEvent as ClientEvent, OnlineUser, PresenceStatus } from "@rollcall/client";

export type Status = PresenceStatus;
export type EventType = ClientEvent["type"];
export type OfflineReason = NonNullable<ClientEvent["reason"]>;

/** Whether a user is online, and since when. */
export interface Presence {
  status: Status;
  lastActiveAt: number | null;
  onlineSince: number | null;
  deviceId: string | null;
}

/** A user, with the details of the directory; null where it knows none. */
export interface User extends Omit<OnlineUser, "presence"> {
  presence: Presence;
}

/** One transition. */
export interface PresenceEvent {
  type: EventType;
  user: User;
  reason: OfflineReason | null;
  at: number;
}

/** The transitions of a short window. */
export interface Delta {
  events: readonly PresenceEvent[];
  /** Events may be missing before this delta. */
  reset: boolean;
}

/** A page of the list. */
export interface Page {
  users: readonly User[];
  endCursor: string | null;
  hasNextPage: boolean;
  totalCount: number;
}

/** A number of users at a time, as the history has it. */
export interface OnlinePoint {
  at: number;
  peak: number;
  average: number;
}

/** Health and balance of the store. */
export interface Cluster {
  online: number;
  shards: readonly { index: number; online: number }[];
  imbalance: number;
  heartbeatsPerSecond: number;
  subscribers: number;
  usedMemoryBytes: number;
  /** 0 without a limit. */
  maxMemoryBytes: number;
}
