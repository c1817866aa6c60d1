/** The library's values as React's state. */
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Client } from "./client.js";
import type { PresenceState } from "./device.js";
import { networkError, type RollcallError } from "./error.js";
import { pageFields, type OnlineUser, type OnlineUsersArgs, type OnlineUsersPage } from "./pages.js";
import type { Presence } from "./presence.js";

/** How this device's presence stands. The presence is made outside of components, once an app. */
export function usePresence(presence: Presence): PresenceState {
  const read = () => presence.state;
  const listen = useCallback((changed: () => void) => presence.on("state", changed), [presence]);
  return useSyncExternalStore(listen, read, read);
}

export interface OnlineUsers {
  users: OnlineUser[];
  totalCount: number;
  /** Until the first page has come. */
  loading: boolean;
  /** Why the list is not kept current at the moment, or any more. */
  error: RollcallError | undefined;
}

const document = `subscription($first:Int$orderBy:OnlineOrder$filter:OnlineFilter){onlineUsersChanged(first:$first orderBy:$orderBy filter:$filter){${pageFields}}}`;
const nothing: OnlineUsers = { users: [], totalCount: 0, loading: true, error: undefined };

/** The first page of who is online, kept current. */
export function useOnlineUsers(client: Client, args: Omit<OnlineUsersArgs, "after"> = {}): OnlineUsers {
  const [list, setList] = useState(nothing);
  const variables = JSON.stringify(args);
  useEffect(() => {
    setList(nothing);
    const fail = (error: RollcallError) => setList((last) => ({ ...last, error }));
    const look = () => client.state.status === "waiting" && fail(client.state.reason);
    const unlisten = client.on("state", look);
    const leave = client.subscribe<{ onlineUsersChanged: OnlineUsersPage }>(document, JSON.parse(variables), {
      next: ({ onlineUsersChanged: { nodes, totalCount } }, error) =>
        setList({ users: nodes, totalCount, loading: false, error }),
      error: fail,
      waiting: fail,
      complete: () => fail(networkError("the client is closed")),
    });
    look();
    return () => {
      unlisten();
      leave();
    };
  }, [client, variables]);
  return list;
}
