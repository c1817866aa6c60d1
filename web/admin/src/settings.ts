/** What the server tells the page, in the `#rollcall` JSON block (Go: `web.PageConfig`). */
export interface Settings {
  /** How the server authenticates: `dev` takes dev tokens, `jwt` signed ones. */
  auth: "dev" | "jwt";
}

/**
 * Reads the settings. Anything but a plain `dev` counts as `jwt`: then the page fills in no token, which
 * is the safe mistake to make.
 */
export function readSettings(doc: Document): Settings {
  const block: unknown = JSON.parse(doc.getElementById("rollcall")?.textContent || "{}");
  const dev = typeof block === "object" && block !== null && "auth" in block && block.auth === "dev";
  return { auth: dev ? "dev" : "jwt" };
}
