/** The operations that the console sends. */

const user = "id name avatarUrl level presence { status lastActiveAt onlineSince deviceId }";

export const page = `query Page($first: Int!, $after: String, $orderBy: OnlineOrder!, $filter: OnlineFilter) {
  onlineUsers(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
    nodes { ${user} } totalCount pageInfo { hasNextPage endCursor }
  }
}`;

export const users = `query Users($ids: [ID!]!) { users(ids: $ids) { ${user} } }`;

export const cluster = `query Cluster {
  cluster { online shards { index online } imbalance heartbeatsPerSecond subscribers usedMemoryBytes maxMemoryBytes }
}`;

export const history = `query History($from: Time!) { onlineHistory(from: $from) { at peak average } }`;

export const count = `subscription Count { onlineCountChanged }`;

export const disconnect = `mutation Disconnect($userId: ID!, $reason: String) {
  disconnectUser(userId: $userId, reason: $reason) { ended }
}`;

export const refresh = `mutation Refresh($ids: [ID!]!) { refreshUsers(ids: $ids) }`;
