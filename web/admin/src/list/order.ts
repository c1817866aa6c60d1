import type { User } from "../presence";

/** The orders of the list, as the schema names them. */
export type Order = "LAST_ACTIVE_DESC" | "LAST_ACTIVE_ASC" | "LEVEL_DESC" | "LEVEL_ASC";

/** Narrows the list; null lets everybody through. */
export interface Filter {
  status: "ONLINE" | "AWAY" | null;
  minLevel: number | null;
  maxLevel: number | null;
}

export const everybody: Filter = { status: null, minLevel: null, maxLevel: null };

/** Whether a filter lets everybody through. */
export const isOpen = ({ status, minLevel, maxLevel }: Filter): boolean =>
  status === null && minLevel === null && maxLevel === null;

/** Whether a user is in the list: online, and let through by the filter. */
export function matches(user: User, filter: Filter): boolean {
  const { status } = user.presence;
  if (status === "OFFLINE" || (filter.status !== null && status !== filter.status)) return false;
  if (filter.minLevel === null && filter.maxLevel === null) return true;
  if (user.level === null) return false;
  return user.level >= (filter.minLevel ?? -Infinity) && user.level <= (filter.maxLevel ?? Infinity);
}

/** Compares as the server sorts: users without a level last, ties by activity and then by id, all in the order's direction. */
export function compare(order: Order): (a: User, b: User) => number {
  const byId = (a: User, b: User) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  const active = (user: User) => user.presence.lastActiveAt ?? 0;
  const latest = (a: User, b: User) => active(b) - active(a) || byId(b, a);
  const unlevelled = (a: User, b: User) => Number(a.level === null) - Number(b.level === null);
  const level = (user: User) => user.level ?? 0;
  switch (order) {
    case "LAST_ACTIVE_DESC":
      return latest;
    case "LAST_ACTIVE_ASC":
      return (a, b) => latest(b, a);
    case "LEVEL_DESC":
      return (a, b) => unlevelled(a, b) || level(b) - level(a) || latest(a, b);
    case "LEVEL_ASC":
      return (a, b) => unlevelled(a, b) || level(a) - level(b) || latest(b, a);
  }
}
