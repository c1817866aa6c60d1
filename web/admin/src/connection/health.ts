import type { Link } from "../api/api";

/** What is known of the connection, the store and the caller's rights. Times are our own clock's. */
export interface Health {
  link: "connecting" | "open" | "lost";
  /** While the connection is lost: since when. */
  lostAt: number | null;
  retryAt: number | null;
  /** Since when the store can't be reached, as the server says. */
  storeDownAt: number | null;
  /** The caller is no administrator. */
  forbidden: boolean;
  /** Why the token is no longer good. */
  signedOut: string | null;
}

export const unknown: Health = {
  link: "connecting",
  lostAt: null,
  retryAt: null,
  storeDownAt: null,
  forbidden: false,
  signedOut: null,
};

/** What the console can be told of its connection. */
export type News =
  | { kind: "link"; link: Link; at: number }
  | { kind: "answered" }
  | { kind: "failed"; code: string; message: string; at: number };

/** What is known after the news. */
export function learn(health: Health, news: News): Health {
  switch (news.kind) {
    case "link":
      return learnLink(health, news.link, news.at);
    case "answered":
      return health.storeDownAt === null ? health : { ...health, storeDownAt: null };
    case "failed":
      return learnFailure(health, news.code, news.message, news.at);
  }
}

function learnLink(health: Health, link: Link, at: number): Health {
  switch (link.state) {
    case "refused":
      return { ...health, signedOut: link.message };
    case "open":
      return { ...health, link: "open", lostAt: null, retryAt: null };
    case "connecting":
      return health.lostAt === null ? health : { ...health, retryAt: null };
    case "lost":
      return { ...health, link: "lost", lostAt: health.lostAt ?? at, retryAt: link.retryAt };
  }
}

function learnFailure(health: Health, code: string, message: string, at: number): Health {
  switch (code) {
    case "UNAUTHENTICATED":
      return { ...health, signedOut: message };
    case "FORBIDDEN":
      return { ...health, forbidden: true };
    case "UNAVAILABLE":
      return health.storeDownAt === null ? { ...health, storeDownAt: at } : health;
    default:
      return health; // of one call alone; whoever made it says so
  }
}

/** What the reader is told: the gravest of what is known. */
export type Phase =
  | { name: "signed-out"; why: string }
  | { name: "forbidden" }
  | { name: "reconnecting"; since: number; retryAt: number | null }
  | { name: "unavailable"; since: number }
  | { name: "connecting" }
  | { name: "live" };

export function phaseOf(health: Health): Phase {
  if (health.signedOut !== null) return { name: "signed-out", why: health.signedOut };
  if (health.forbidden) return { name: "forbidden" };
  if (health.lostAt !== null) return { name: "reconnecting", since: health.lostAt, retryAt: health.retryAt };
  if (health.storeDownAt !== null) return { name: "unavailable", since: health.storeDownAt };
  return { name: health.link === "open" ? "live" : "connecting" };
}
