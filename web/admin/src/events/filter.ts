import type { EventType, PresenceEvent } from "../presence";

/** Which events are wanted. */
export interface EventFilter {
  /** Part of a user's id or name; empty for everybody. */
  user: string;
  types: ReadonlySet<EventType>;
}

export const eventTypes: readonly EventType[] = ["ONLINE", "OFFLINE", "UPDATED"];

/** Whether an event is wanted. */
export function wanted(filter: EventFilter): (event: PresenceEvent) => boolean {
  const text = filter.user.trim().toLowerCase();
  return ({ type, user }) =>
    filter.types.has(type) &&
    (user.id.toLowerCase().includes(text) || (user.name?.toLowerCase().includes(text) ?? false));
}

/** What an event says, in words. */
export function describe({ type, reason, user }: PresenceEvent): string {
  switch (type) {
    case "ONLINE":
      return "came online";
    case "UPDATED":
      return user.presence.status === "AWAY" ? "is away" : "is back, or on another device";
    case "OFFLINE":
      return reason === null ? "went offline" : offline[reason];
  }
}

const offline = {
  SIGNED_OUT: "signed out",
  EXPIRED: "expired",
  DISCONNECTED: "was disconnected",
} as const;
