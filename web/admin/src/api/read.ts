import type { PresenceEvent as ClientEvent } from "@rollcall/client";
import type { Cluster, Page, Presence, PresenceEvent, Status, User } from "../presence";

/** What documents.ts asks of a user, as it is sent. */
export interface UserData {
  id: string;
  name: string | null;
  avatarUrl: string | null;
  level: number | null;
  presence: PresenceData;
}

interface PresenceData {
  status: Status;
  lastActiveAt: string | null;
  onlineSince: string | null;
  deviceId?: string | null;
}

export interface PageData {
  nodes: UserData[];
  totalCount: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export type ClusterData = Cluster;

const time = (text: string | null): number | null => (text === null ? null : Date.parse(text));

function readPresence({ status, lastActiveAt, onlineSince, deviceId = null }: PresenceData): Presence {
  return { status, lastActiveAt: time(lastActiveAt), onlineSince: time(onlineSince), deviceId };
}

export function readUser({ id, name, avatarUrl, level, presence }: UserData): User {
  return { id, name, avatarUrl, level, presence: readPresence(presence) };
}

export function readPage({ nodes, totalCount, pageInfo }: PageData): Page {
  return { users: nodes.map(readUser), totalCount, ...pageInfo };
}

export function readCluster(cluster: ClusterData): Cluster {
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
