/** What the server tells the page, in the `#rollcall` JSON block (Go: `web.PageConfig`). */
export interface Settings {
  /** How the server authenticates: `dev` takes dev tokens, `jwt` signed ones. */
  auth: "dev" | "jwt";
  /** The other sites whose pictures the page's policy lets load. */
  avatarOrigins: readonly string[];
}

/**
 * Reads the settings. Anything but a plain `dev` counts as `jwt`: then the page fills in no token, which
 * is the safe mistake to make. So is to show no pictures of other sites.
 */
export function readSettings(doc: Document): Settings {
  const block: unknown = JSON.parse(doc.getElementById("rollcall")?.textContent || "{}");
  const told = typeof block === "object" && block !== null ? block : {};
  const dev = "auth" in told && told.auth === "dev";
  const origins: unknown[] = "avatarOrigins" in told && Array.isArray(told.avatarOrigins) ? told.avatarOrigins : [];
  return { auth: dev ? "dev" : "jwt", avatarOrigins: origins.filter((origin) => typeof origin === "string") };
}
