import type { Settings } from "./settings";
import heartbeat from "./examples/heartbeat.graphql?raw";
import onlineUsers from "./examples/onlineUsers.graphql?raw";
import onlineCount from "./examples/onlineCount.graphql?raw";
import presenceChanged from "./examples/presenceChanged.graphql?raw";
import onlineCountChanged from "./examples/onlineCountChanged.graphql?raw";
import cluster from "./examples/cluster.graphql?raw";

/** One of GraphiQL's tabs. */
export interface Tab {
  query: string;
  headers: string;
}

/** The request headers a tab starts with; over WebSocket they are sent as `connection_init`'s payload. */
export function headersFor(auth: Settings["auth"], devToken: string): string {
  const credential = auth === "dev" ? `Bearer ${devToken}` : "Bearer ";
  return JSON.stringify({ Authorization: credential }, null, 2);
}

/** The tabs a first visitor finds. */
export function exampleTabs(auth: Settings["auth"]): Tab[] {
  const user = headersFor(auth, "dev:alice");
  const admin = headersFor(auth, "dev:alice:admin");
  return [
    { query: heartbeat, headers: user },
    { query: onlineUsers, headers: user },
    { query: onlineCount, headers: user },
    { query: presenceChanged, headers: user },
    { query: onlineCountChanged, headers: user },
    { query: cluster, headers: admin },
  ];
}
