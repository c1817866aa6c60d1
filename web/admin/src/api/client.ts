import { createClient, RollcallError, type ConnectionState } from "@rollcall/client";
import type { Api, Link, PageRequest } from "./api";
import type { Cluster } from "../presence";
import { readCluster, readEvent, readPage, readUser, type UserData } from "./read";
import * as documents from "./documents";

/** The server that the page came from, as the holder of a token sees it. */
export function connect(token: string): Api {
  const client = createClient({ url: "/graphql", token });
  return {
    async page({ first, after, order, filter }: PageRequest) {
      const given = Object.entries(filter).filter(([, value]) => value !== null);
      const args = { first, orderBy: order, filter: Object.fromEntries(given), ...(after !== null && { after }) };
      const { value } = await client.onlineUsers(args)[Symbol.asyncIterator]().next();
      return readPage(value);
    },
    async users(ids) {
      const errors: RollcallError[] = [];
      const partial = (error: RollcallError) => void errors.push(error);
      const { users } = await client.query<{ users: (UserData | null)[] }>(documents.users, { ids }, { partial });
      if (errors[0] && users.includes(null)) throw errors[0]; // they are not unknown but could not be read
      return users.map((user) => user && readUser(user));
    },
    cluster: async () => readCluster((await client.query<{ cluster: Cluster }>(documents.cluster)).cluster),
    async history(from) {
      const variables = { from: new Date(from).toISOString() };
      const { onlineHistory } = await client.query<{ onlineHistory: { at: string; peak: number; average: number }[] }>(
        documents.history,
        variables,
      );
      return onlineHistory.map((point) => ({ ...point, at: Date.parse(point.at) }));
    },
    async disconnect(userId, reason) {
      const variables = { userId, reason: reason === "" ? null : reason };
      const { disconnectUser } = await client.query<{ disconnectUser: { ended: boolean } }>(
        documents.disconnect,
        variables,
      );
      return disconnectUser.ended;
    },
    async refresh(id) {
      await client.query(documents.refresh, { ids: [id] });
    },
    serverTime,
    watch(next, failed) {
      const watch = client.watch({ details: true, map: false });
      watch.on("gap", () => next({ events: [], reset: true }));
      watch.on("live", () => next({ events: [], reset: false }));
      watch.on("events", (events) => next({ events: events.map(readEvent), reset: false }));
      watch.on("error", failed);
      watch.on("waiting", failed);
    },
    watchCount(next, failed) {
      client.subscribe<{ onlineCountChanged: number }>(documents.count, undefined, {
        next: ({ onlineCountChanged }) => next(onlineCountChanged),
        error: failed,
        waiting: failed,
        complete: () => {},
      });
    },
    onLink(next) {
      next(linkOf(client.state));
      client.on("state", (state) => next(linkOf(state)));
    },
    close: () => client.close(),
  };
}

function linkOf(state: ConnectionState): Link {
  switch (state.status) {
    case "open":
      return { state: "open" };
    case "waiting":
      return { state: "lost", retryAt: state.retryAt };
    case "closed":
      return state.reason ? { state: "refused", message: state.reason.message } : { state: "connecting" };
    default:
      return { state: "connecting" };
  }
}

/** The server's `Date` header: no field of the API tells the time to who sends no heartbeat. */
async function serverTime(): Promise<number> {
  const answer = await fetch("/healthz", { cache: "no-store" });
  const at = Date.parse(answer.headers.get("Date") ?? "");
  if (Number.isNaN(at)) throw new RollcallError("INTERNAL", "the server named no time");
  return at;
}
