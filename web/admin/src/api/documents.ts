/** The operations that the console sends besides those of the client. */

export const users = `query Users($ids: [ID!]!) {
  users(ids: $ids) { id name avatarUrl level presence { userId status lastActiveAt onlineSince deviceId } }
}`;

export const cluster = `query Cluster {
  cluster { online shards { index online } imbalance heartbeatsPerSecond subscribers usedMemoryBytes maxMemoryBytes }
}`;

export const history = `query History($from: Time!) { onlineHistory(from: $from) { at peak average } }`;

export const count = `subscription Count { onlineCountChanged }`;

export const disconnect = `mutation Disconnect($userId: ID!, $reason: String) {
  disconnectUser(userId: $userId, reason: $reason) { ended }
}`;

export const refresh = `mutation Refresh($ids: [ID!]!) { refreshUsers(ids: $ids) }`;
