// `onlineUsers` by the text of the GraphQL Cursor Connections Specification (https://relay.dev/graphql/connections.htm).
import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../src/index.js";
import { as, startNode } from "./node.js";

interface Page {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const ids = Array.from({ length: 12 }, (_, i) => `user-${String(i).padStart(2, "0")}`);
let node: Awaited<ReturnType<typeof startNode>>;
let client: Client;
let schema: GraphQLSchema;

beforeAll(async () => {
  node = await startNode({ ROLLCALL_TTL: "60s", ROLLCALL_BACKGROUND_TTL: "150s" });
  client = createClient(as("gateway:service", node));
  schema = buildClientSchema(await client.query<IntrospectionQuery>(getIntrospectionQuery()));
  await client.query("mutation($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted } }", {
    input: ids.map((userId) => ({ userId, deviceId: "d" })),
  });
});
afterAll(() => node?.stop());

async function page(first: number, after?: string) {
  const { onlineUsers } = await client.query<{ onlineUsers: Page }>(
    `query($first: Int, $after: String) {
      onlineUsers(first: $first, after: $after) {
        edges { cursor node { id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`,
    { first, after },
  );
  return onlineUsers;
}

/** A type's field, as an object type where it is one. */
function fieldOf(type: GraphQLObjectType, name: string): GraphQLOutputType {
  const field = type.getFields()[name];
  if (!field) throw new Error(`${type.name} has no field ${name}`);
  return field.type;
}
function objectOf(type: unknown): GraphQLObjectType {
  if (!isObjectType(type)) throw new Error(`${String(type)} is no object type`);
  return type;
}

describe("2 to 5: the types", () => {
  test("the connection type", () => {
    // "Any type whose name ends in Connection is considered by this spec to be a Connection Type. ... must be an Object"
    for (const type of Object.values(schema.getTypeMap()).filter(({ name }) => name.endsWith("Connection"))) {
      const connection = objectOf(type);
      // "must return a list type that wraps an edge type"
      const edges = getNullableType(fieldOf(connection, "edges"));
      expect(isListType(edges)).toBe(true);
      const edge = objectOf(getNamedType(edges));
      // "must return a non-null PageInfo object"
      expect(String(fieldOf(connection, "pageInfo"))).toBe("PageInfo!");

      // An edge's `node` "cannot return a list"; its `cursor` "must return a type that serializes as a String".
      expect(isListType(getNullableType(fieldOf(edge, "node")))).toBe(false);
      expect(String(getNullableType(fieldOf(edge, "cursor")))).toBe("String");
    }
    expect(schema.getType("OnlineUserConnection")).toBeDefined();
  });

  test("PageInfo", () => {
    const info = objectOf(schema.getType("PageInfo"));
    // "hasPreviousPage and hasNextPage, both of which return non-null booleans", "startCursor and endCursor ... opaque strings"
    expect(String(fieldOf(info, "hasPreviousPage"))).toBe("Boolean!");
    expect(String(fieldOf(info, "hasNextPage"))).toBe("Boolean!");
    expect(String(getNullableType(fieldOf(info, "startCursor")))).toBe("String");
    expect(String(getNullableType(fieldOf(info, "endCursor")))).toBe("String");
  });

  test("the arguments", () => {
    const field = objectOf(schema.getQueryType()).getFields().onlineUsers;
    expect(getNamedType(field?.type)?.name).toBe("OnlineUserConnection");
    expect(isNonNullType(field?.type)).toBe(true);
    const argument = (name: string) => String(field?.args.find((arg) => arg.name === name)?.type);
    // Forward pagination: "first is a non-negative integer", "after takes the cursor type"
    expect(argument("first")).toBe("Int");
    expect(argument("after")).toBe("String");
    expect(isLeafType(schema.getType("String"))).toBe(true);
  });
});

describe("4.4 and 5.1: the algorithm", () => {
  test.each([1, 5, 6, 12, 100])("pages of %i make the whole list, in one order", async (first) => {
    const whole = await page(100);
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more;) {
      const { edges, pageInfo } = await page(first, after);
      // "edges.length must not be greater than first"
      expect(edges.length).toBeLessThanOrEqual(first);
      expect(edges.length).toBeGreaterThan(0);
      // "startCursor and endCursor must be the cursors corresponding to the first and last nodes in edges"
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0]?.cursor, edges.at(-1)?.cursor]);
      seen.push(...edges.map((edge) => edge.node.id));
      // "hasNextPage ... the server must return true if more edges exist"
      expect(pageInfo.hasNextPage).toBe(seen.length < ids.length);
      more = pageInfo.hasNextPage;
      after = pageInfo.endCursor ?? undefined;
    }
    // "The ordering of edges should be the same ... for all pages"; nobody twice, nobody left out.
    expect(seen).toEqual(whole.edges.map((edge) => edge.node.id));
    expect([...seen].sort()).toEqual(ids);
  });

  test("a page begins behind any edge's cursor, that edge left out", async () => {
    const { edges } = await page(100);
    for (const [index, { cursor }] of edges.entries()) {
      const rest = await page(100, cursor);
      expect(rest.edges).toEqual(edges.slice(index + 1));
      if (!rest.edges.length) expect([rest.pageInfo.startCursor, rest.pageInfo.hasNextPage]).toEqual([null, false]);
    }
  });

  test("first below zero, and a cursor of nobody's, are errors", async () => {
    // "If first is less than 0: Throw an error."
    await expect(page(-1)).rejects.toMatchObject({ code: "BAD_USER_INPUT" });
    await expect(page(1, "nobody's")).rejects.toMatchObject({ code: "BAD_USER_INPUT" });
  });
});
