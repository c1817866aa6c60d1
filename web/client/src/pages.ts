import type { Client } from "./client.js";

/** What others see of a user. */
export type PresenceStatus = "ONLINE" | "AWAY" | "OFFLINE";

/** Times are RFC 3339 in UTC, by the store's clock. */
export interface PresenceInfo {
  userId: string;
  status: PresenceStatus;
  lastActiveAt: string | null;
  onlineSince: string | null;
}

/** Details are null where the user directory has none. */
export interface OnlineUser {
  id: string;
  name: string | null;
  avatarUrl: string | null;
  level: number | null;
  presence: PresenceInfo;
}

export interface OnlineUsersPage {
  nodes: OnlineUser[];
  totalCount: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The schema's arguments of `onlineUsers`. */
export interface OnlineUsersArgs {
  /** Users a page, 1 to 500. */
  first?: number;
  after?: string;
  orderBy?: "LAST_ACTIVE_DESC" | "LAST_ACTIVE_ASC" | "LEVEL_DESC" | "LEVEL_ASC" | "UNORDERED";
  filter?: { status?: PresenceStatus; minLevel?: number; maxLevel?: number };
}

/** Iterates over pages; each is read when it is asked for. */
export interface OnlineUsersPages extends AsyncIterable<OnlineUsersPage> {
  /** Iterates over the pages' users. */
  users(): AsyncIterable<OnlineUser>;
}

/** The fields of a {@link PresenceInfo}. */
export const presenceFields = "userId status lastActiveAt onlineSince";
/** The fields of an {@link OnlineUsersPage}. */
export const pageFields = `totalCount nodes{id name avatarUrl level presence{${presenceFields}}} pageInfo{hasNextPage endCursor}`;

const document = `query($first:Int$after:String$orderBy:OnlineOrder$filter:OnlineFilter){onlineUsers(first:$first after:$after orderBy:$orderBy filter:$filter){${pageFields}}}`;

export function onlineUsers(client: Client, args: OnlineUsersArgs = {}): OnlineUsersPages {
  async function* pages() {
    for (let variables: Record<string, unknown> = { ...args }; ;) {
      const { onlineUsers: page } = await client.query<{ onlineUsers: OnlineUsersPage }>(document, variables, {
        partial: () => {}, // a list without names is a list
      });
      yield page;
      if (!page.pageInfo.hasNextPage) return;
      variables = { ...args, after: page.pageInfo.endCursor };
    }
  }
  async function* users() {
    for await (const page of pages()) yield* page.nodes;
  }
  return { [Symbol.asyncIterator]: pages, users };
}
