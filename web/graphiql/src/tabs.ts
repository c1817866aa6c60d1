import type { Settings } from "./settings";
import heartbeat from "./examples/heartbeat.graphql?raw";
import onlineUsers from "./examples/onlineUsers.graphql?raw";
import session from "./examples/session.graphql?raw";
import onlineCount from "./examples/onlineCount.graphql?raw";
import presenceChanged from "./examples/presenceChanged.graphql?raw";
import onlineUsersChanged from "./examples/onlineUsersChanged.graphql?raw";
import onlineCountChanged from "./examples/onlineCountChanged.graphql?raw";
import cluster from "./examples/cluster.graphql?raw";
import onlineHistory from "./examples/onlineHistory.graphql?raw";

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

/**
 * An example's text as it reads on this server: of the comments that begin with `#dev` or `#jwt`, those of the
 * other mode are left out.
 */
function textFor(auth: Settings["auth"], example: string): string {
  const other = auth === "dev" ? "#jwt" : "#dev";
  const lines = example.split("\n").filter((line) => !line.startsWith(other));
  return lines.map((line) => line.replace(`#${auth}`, "#")).join("\n");
}

/** The tabs a first visitor finds. */
export function exampleTabs(auth: Settings["auth"]): Tab[] {
  const user = headersFor(auth, "dev:alice");
  const admin = headersFor(auth, "dev:alice:admin");
  const tabs = [
    { query: heartbeat, headers: user },
    { query: onlineUsers, headers: user },
    { query: onlineCount, headers: user },
    { query: session, headers: user },
    { query: presenceChanged, headers: user },
    { query: onlineUsersChanged, headers: user },
    { query: onlineCountChanged, headers: user },
    { query: cluster, headers: admin },
    { query: onlineHistory, headers: admin },
  ];
  return tabs.map(({ query, headers }) => ({ query: textFor(auth, query), headers }));
}
