/** Presence for web apps: who is online, and being online. */
export { createClient, type Client, type ClientOptions } from "./client.js";
export type { ConnectionState } from "./connection.js";
export type { PresenceState } from "./device.js";
export { RollcallError } from "./error.js";
export type { QueryOptions } from "./http.js";
export type { LinkKind } from "./link.js";
export type { Sink, Variables } from "./operation.js";
export type {
  OnlineUser,
  OnlineUsersArgs,
  OnlineUsersPage,
  OnlineUsersPages,
  PresenceInfo,
  PresenceStatus,
} from "./pages.js";
export type { Channel, Platform, PlatformEvent } from "./platform.js";
export type { TokenSource } from "./token.js";
export type { PresenceEvent, Watch, WatchEvents, WatchOptions } from "./watch.js";
export type { WebSocketImpl } from "./websocket.js";
export { createPresence, type Presence, type PresenceEvents, type PresenceOptions } from "./presence.js";
