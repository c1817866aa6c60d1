// Any GraphQL client is a full client: presence by the session subscription, and events, with two that know nothing of Rollcall.
import { ApolloClient, gql, HttpLink, InMemoryCache, split } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { getMainDefinition } from "@apollo/client/utilities";
import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { createClient } from "graphql-ws";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { eventually, startNode } from "./node.js";

const authorization = { Authorization: "Bearer dev:ada" };
const keep = `subscription Keep { session(input: { deviceId: "laptop" }) { type session } }`;
const watch = `subscription Watch { presenceChanged(userIds: ["ada"]) { cursor reset events { type userId } } }`;
const online = `query Online { onlineUsers(first: 5) { totalCount edges { cursor node { id presence { status } } } pageInfo { hasNextPage } } }`;

interface Keep {
  session: { type: string };
}
interface Watch {
  presenceChanged: { events: { type: string; userId: string }[] };
}
interface Online {
  onlineUsers: { totalCount: number; edges: { node: { id: string } }[] };
}

const socket = (url: string) =>
  createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams: authorization });

test("Apollo Client", async () => {
  await using node = await startNode();
  const sockets = socket(node.url);
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: split(
      ({ query }) => {
        const definition = getMainDefinition(query);
        return definition.kind === "OperationDefinition" && definition.operation === "subscription";
      },
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: node.url, headers: authorization }),
    ),
  });
  const told: string[] = [];
  const events = client.subscribe<Watch>({ query: gql(watch) }).subscribe(({ data }) => {
    told.push("delta", ...(data?.presenceChanged.events.map(({ type, userId }) => `${userId} ${type}`) ?? []));
  });
  await eventually(() => expect(told).toEqual(["delta"]));
  const session = client
    .subscribe<Keep>({ query: gql(keep) })
    .subscribe(({ data }) => told.push(data?.session.type ?? ""));
  await eventually(() => expect([...told].sort()).toEqual(["STARTED", "ada ONLINE", "delta", "delta"]));
  const { data } = await client.query<Online>({ query: gql(online) });
  expect(data?.onlineUsers.edges.map((edge) => edge.node.id)).toEqual(["ada"]);
  session.unsubscribe();
  await eventually(() => expect(told).toContain("ada OFFLINE")); // when the lease ends
  events.unsubscribe();
  client.stop();
  await sockets.dispose();
});

test("urql", async () => {
  await using node = await startNode();
  const sockets = socket(node.url);
  const client = new Client({
    url: node.url,
    preferGetMethod: false,
    // It aborts a request that has been answered, and lets go of the promise that then fails.
    fetch: async (input, init) => fetch(input, { ...init, signal: null }),
    fetchOptions: { headers: authorization },
    exchanges: [
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = "", variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: sockets.subscribe(
              { query, variables: variables ?? {} },
              {
                ...sink,
                next: ({ data = null, errors = [] }) => sink.next({ data, ...(errors.length && { errors }) }),
              },
            ),
          }),
        }),
      }),
    ],
  });
  const told: string[] = [];
  const events = client.subscription<Watch>(watch, {}).subscribe(({ data }) => {
    told.push("delta", ...(data?.presenceChanged.events.map(({ type, userId }) => `${userId} ${type}`) ?? []));
  });
  await eventually(() => expect(told).toEqual(["delta"]));
  const session = client.subscription<Keep>(keep, {}).subscribe(({ data }) => told.push(data?.session.type ?? ""));
  await eventually(() => expect([...told].sort()).toEqual(["STARTED", "ada ONLINE", "delta", "delta"]));
  const { data } = await client.query<Online>(online, {}).toPromise();
  expect(data?.onlineUsers.edges.map((edge) => edge.node.id)).toEqual(["ada"]);
  session.unsubscribe();
  await eventually(() => expect(told).toContain("ada OFFLINE"));
  events.unsubscribe();
  await sockets.dispose();
});
