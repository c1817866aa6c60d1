import type { OnlineUser, OnlineUsersPage, PresenceEvent as ClientEvent, PresenceInfo } from "@rollcall/client";
import type { Cluster, Page, Presence, PresenceEvent, User } from "../presence";

/** A user as sent; the device only if it was asked for. */
export type UserData = OnlineUser & { presence: PresenceData };

type PresenceData = PresenceInfo & { deviceId?: string | null };

const time = (text: string | null): number | null => (text === null ? null : Date.parse(text));

function readPresence({ status, lastActiveAt, onlineSince, deviceId = null }: PresenceData): Presence {
  return { status, lastActiveAt: time(lastActiveAt), onlineSince: time(onlineSince), deviceId };
}

export function readUser({ id, name, avatarUrl, level, presence }: UserData): User {
  return { id, name, avatarUrl, level, presence: readPresence(presence) };
}

export function readPage({ nodes, totalCount, pageInfo }: OnlineUsersPage): Page {
  const { hasNextPage, endCursor } = pageInfo;
  return { users: nodes.map(readUser), totalCount, hasNextPage, endCursor };
}

export function readCluster(cluster: Cluster): Cluster {
  return { ...cluster, shards: [...cluster.shards].sort((a, b) => a.index - b.index) };
}

/** An event of the client's, whose details are those of the directory or, if it has none, unknown. */
export function readEvent({ type, userId, reason, at, presence, user }: ClientEvent): PresenceEvent {
  const { name = null, avatarUrl = null, level = null } = user ?? {};
  return {
    type,
    reason,
    at: Date.parse(at),
    user: { id: userId, name, avatarUrl, level, presence: readPresence(presence) },
  };
}
