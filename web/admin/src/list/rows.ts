import type { OfflineReason, Page, Presence, PresenceEvent, User } from "../presence";
import { compare, matches, type Filter, type Order } from "./order";

/** A place in the list. It is replaced, never changed, so that who shows it sees by identity whether it is still the same. */
export interface Row {
  user: User;
  /** The user has left the list, and the row stays until the reader is done with it. */
  gone: boolean;
  /** Why the user went offline. */
  reason: OfflineReason | null;
}

/**
 * The part of the list that has been read, kept as it is being read: what is told of its users changes in
 * place, who leaves stays as a row that says so, and who comes waits. Nothing moves before [settle].
 */
export class Rows {
  readonly order: Order;
  readonly filter: Filter;
  /** How many users the filter leaves, as of the last page. */
  total = 0;
  /** Where the next page begins; null before the first. */
  endCursor: string | null = null;
  /** Whether all of the list has been read. */
  complete = false;
  /** Events may have been missed since the first page. */
  missed = false;

  #rows: Row[] = [];
  #places = new Map<string, number>();
  readonly #waiting = new Map<string, User>();
  readonly #compare: (a: User, b: User) => number;

  constructor(order: Order, filter: Filter) {
    this.order = order;
    this.filter = filter;
    this.#compare = compare(order);
  }

  get length(): number {
    return this.#rows.length;
  }

  at(place: number): Row | undefined {
    return this.#rows[place];
  }

  /** Where a user's row is; undefined if it has none. */
  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  /** How many users have come who would be among the rows. */
  get news(): number {
    return this.#waiting.size;
  }

  /** The rows whose user's id or name holds `text`, at most `limit` of them. */
  find(text: string, limit: number): Row[] {
    const wanted = text.toLowerCase();
    const found: Row[] = [];
    for (const row of this.#rows) {
      if (found.length === limit) break;
      const { id, name } = row.user;
      if (id.toLowerCase().includes(wanted) || name?.toLowerCase().includes(wanted)) found.push(row);
    }
    return found;
  }

  /** Adds the next page. Who has moved between the pages meanwhile keeps the row they have. */
  append(page: Page): void {
    for (const user of page.users) {
      this.#waiting.delete(user.id);
      if (this.#update(user, null)) continue;
      this.#places.set(user.id, this.#rows.length);
      this.#rows.push({ user, gone: false, reason: null });
    }
    this.total = page.totalCount;
    this.complete = !page.hasNextPage;
    this.endCursor = page.endCursor ?? this.endCursor;
  }

  /** Takes in what has happened. */
  apply(events: readonly PresenceEvent[]): void {
    for (const { type, user, reason } of events) {
      if (this.#update(user, reason)) continue;
      if (!matches(user, this.filter)) this.#waiting.delete(user.id);
      else if (this.#waiting.has(user.id) || this.#comesBy(type)) this.#wait(user);
    }
  }

  /** Takes in a fresh reading of some of the users. */
  refresh(users: readonly User[]): void {
    for (const user of users) this.#update(user, null);
  }

  /** Puts everybody where they belong now: who left is dropped, who came is put in. */
  settle(): void {
    const users = this.#rows.filter((row) => !row.gone).map((row) => row.user);
    users.push(...this.#waiting.values());
    users.sort(this.#compare);
    this.#rows = users.map((user) => ({ user, gone: false, reason: null }));
    this.#places = new Map(users.map((user, place) => [user.id, place]));
    this.#waiting.clear();
  }

  /** Whether somebody left or came, so that [settle] would do something. */
  get unsettled(): boolean {
    return this.#waiting.size > 0 || this.#rows.some((row) => row.gone);
  }

  /** Whether an event brings its user into the list. Under a status filter a change of status does so too. */
  #comesBy(type: PresenceEvent["type"]): boolean {
    return type === "ONLINE" || (type === "UPDATED" && this.filter.status !== null);
  }

  /** Has a user wait for [settle], unless their place is further down than what has been read. */
  #wait(user: User): void {
    const last = this.#rows.at(-1);
    if (this.complete || (last !== undefined && this.#compare(user, last.user) < 0)) this.#waiting.set(user.id, user);
  }

  #update(user: User, reason: OfflineReason | null): boolean {
    const place = this.#places.get(user.id);
    const row = place === undefined ? undefined : this.#rows[place];
    if (place === undefined || row === undefined) return false;
    const presence = later(row.user.presence, user.presence);
    // Without any details the directory could not be read, or has lost the user; what was known is better than nothing.
    const details = user.name === null && user.level === null ? row.user : user;
    const merged = { ...details, presence };
    const gone = !matches(merged, this.filter);
    this.#rows[place] = { user: merged, gone, reason: presence.status === "OFFLINE" ? (reason ?? row.reason) : null };
    return true;
  }
}

/** Activity never moves backwards, even if an event arrives after a page that is younger. */
function later(known: Presence, told: Presence): Presence {
  if (known.lastActiveAt === null || (told.lastActiveAt !== null && told.lastActiveAt >= known.lastActiveAt))
    return told;
  return { ...told, lastActiveAt: known.lastActiveAt };
}
