import type { PresenceEvent, Status, User } from "../src/presence";

/** A user who is online, unless the test says otherwise. */
export function user(
  id: string,
  lastActiveAt: number,
  more: { level?: number | null; name?: string; status?: Status } = {},
): User {
  const status = more.status ?? "ONLINE";
  return {
    id,
    name: more.name ?? null,
    avatarUrl: null,
    level: more.level ?? null,
    presence: { status, lastActiveAt, onlineSince: status === "OFFLINE" ? null : 0, deviceId: null },
  };
}

/** An event after which the user is as given. */
export function event(type: PresenceEvent["type"], of: User, reason: PresenceEvent["reason"] = null): PresenceEvent {
  return { type, user: of, reason, at: of.presence.lastActiveAt ?? 0 };
}

/** The ids of a page or of rows. */
export const ids = (users: Iterable<User>): string[] => [...users].map((each) => each.id);
