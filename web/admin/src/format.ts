/** Numbers and times as people read them. Times are milliseconds since 1970, durations milliseconds. */

const grouped = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hourMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** 12,345. */
export const count = (n: number): string => grouped.format(Math.round(n));

/** 0, 0.4, 12.5, 1,234: a decimal only where it says something. */
export function rate(n: number): string {
  if (n === 0) return "0";
  return n < 100 ? (Math.round(n * 10) / 10).toString() : count(n);
}

/** 12 %, with the space that keeps both together. */
export const percent = (share: number): string => `${grouped.format(Math.round(share * 100))}\u00a0%`;

/** 1.5 GB, by powers of 1024 as memory is measured. */
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = n;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : Math.round(size * 10) / 10}\u00a0${units[unit]}`;
}

/** 12 s, 4 min, 3 h, 2 d: the largest unit alone, cut off as clocks are. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}\u00a0s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}\u00a0min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}\u00a0h`;
  return `${Math.floor(seconds / 86_400)}\u00a0d`;
}

/** "12 s ago", and "now" for what is less than a second old or, by an imprecise clock, still to come. */
export function ago(then: number, now: number): string {
  return now - then < 1000 ? "now" : `${duration(now - then)} ago`;
}

/** 16:04:09, in the reader's time zone. */
export const timeOfDay = (at: number): string => clock.format(at);

/** .123: the milliseconds behind a time of day. */
export const fraction = (at: number): string => `.${String(at % 1000).padStart(3, "0")}`;

/** 16:04. */
export const minuteOfDay = (at: number): string => hourMinute.format(at);

/** 16:04 for what is less than twelve hours old, else 1 Dec, 16:04. */
export function moment(at: number, now: number): string {
  return now - at < 12 * 3600_000 ? hourMinute.format(at) : dayClock.format(at);
}

/** The initials that stand in for a picture: of the first and last word of a name, or the id's first letter. */
export function initials(name: string | null, id: string): string {
  const words = (name ?? id).split(/\s+/u).filter((word) => word !== "");
  const first = words[0] ?? "?";
  const last = name !== null && words.length > 1 ? (words.at(-1) ?? "") : "";
  return (firstLetter(first) + firstLetter(last)).toUpperCase();
}

const firstLetter = (word: string): string => [...word][0] ?? "";

/** One of `among` hues, always the same for an id. */
export function hue(id: string, among: number): number {
  let hash = 0;
  for (const char of id) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return hash % among;
}
