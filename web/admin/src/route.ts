/** The views, as the address names them after `#`. It never holds a token. */
export type Route =
  { view: "overview" } | { view: "online" } | { view: "events"; userId?: string } | { view: "user"; id: string };

/** Reads a location's hash; what is no view's leads to the overview. */
export function parseRoute(hash: string): Route {
  const [view = "", rest] = split(hash.replace(/^#\/?/, ""));
  const id = rest === undefined ? undefined : decode(rest);
  if (view === "online") return { view: "online" };
  if (view === "events") return id ? { view: "events", userId: id } : { view: "events" };
  if (view === "user" && id) return { view: "user", id };
  return { view: "overview" };
}

/** The hash of a view. */
export function hrefOf(route: Route): string {
  if (route.view === "user") return `#/user/${encodeURIComponent(route.id)}`;
  if (route.view === "events" && route.userId) return `#/events/${encodeURIComponent(route.userId)}`;
  return `#/${route.view}`;
}

function split(path: string): [string, string?] {
  const slash = path.indexOf("/");
  return slash < 0 ? [path] : [path.slice(0, slash), path.slice(slash + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // a stray %, typed by hand
  }
}
