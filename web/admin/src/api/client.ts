import { createClient, RollcallError, type Client, type ConnectionState } from "@rollcall/client";
import { ApiError, type Api, type Link, type PageRequest } from "./api";
import { readCluster, readEvent, readPage, readUser, type ClusterData, type PageData, type UserData } from "./read";
import * as documents from "./documents";

/** The server that the page came from, as the holder of a token sees it. */
export function connect(token: string): Api {
  const client = createClient({ url: "/graphql", token });
  const ask = <T>(document: string, variables?: Record<string, unknown>) => call<T>(client, document, variables);
  return {
    async page({ first, after, order, filter }: PageRequest) {
      const given = Object.entries(filter).filter(([, value]) => value !== null);
      const variables = { first, after, orderBy: order, filter: Object.fromEntries(given) };
      return readPage((await ask<{ onlineUsers: PageData }>(documents.page, variables)).onlineUsers);
    },
    async users(ids) {
      const { users } = await ask<{ users: (UserData | null)[] }>(documents.users, { ids });
      return users.map((user) => user && readUser(user));
    },
    cluster: async () => readCluster((await ask<{ cluster: ClusterData }>(documents.cluster)).cluster),
    async history(from) {
      const variables = { from: new Date(from).toISOString() };
      const { onlineHistory } = await ask<{ onlineHistory: { at: string; peak: number; average: number }[] }>(
        documents.history,
        variables,
      );
      return onlineHistory.map((point) => ({ ...point, at: Date.parse(point.at) }));
    },
    async disconnect(userId, reason) {
      const variables = { userId, reason: reason === "" ? null : reason };
      return (await ask<{ disconnectUser: { ended: boolean } }>(documents.disconnect, variables)).disconnectUser.ended;
    },
    async refresh(id) {
      await ask(documents.refresh, { ids: [id] });
    },
    serverTime,
    watch(next, failed) {
      const watch = client.watch({ details: true, map: false });
      watch.on("gap", () => next({ events: [], reset: true }));
      watch.on("live", () => next({ events: [], reset: false }));
      watch.on("events", (events) => next({ events: events.map(readEvent), reset: false }));
      watch.on("error", (error) => failed(apiError(error)));
      watch.on("waiting", (error) => failed(apiError(error)));
    },
    watchCount(next, failed) {
      client.subscribe<{ onlineCountChanged: number }>(documents.count, undefined, {
        next: ({ onlineCountChanged }) => next(onlineCountChanged),
        error: (error) => failed(apiError(error)),
        waiting: (error) => failed(apiError(error)),
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

async function call<T>(client: Client, document: string, variables?: Record<string, unknown>): Promise<T> {
  try {
    return await client.query<T>(document, variables);
  } catch (error) {
    throw apiError(error);
  }
}

function apiError(error: unknown): ApiError {
  if (error instanceof RollcallError) return new ApiError(error.code, error.message);
  return new ApiError("INTERNAL", String(error));
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
  if (Number.isNaN(at)) throw new ApiError("INTERNAL", "the server named no time");
  return at;
}
