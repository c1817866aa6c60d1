import type { Platform } from "./platform.js";

/** One value that the tabs of a browser share, and that outlives them; this page's own where that is not allowed. */
export interface Stored {
  get(): string | undefined;
  set(value: string | undefined): void;
}

export function createStored({ storage }: Platform, key: string): Stored {
  let own: string | undefined;
  return {
    get() {
      try {
        return own ?? storage?.getItem(key) ?? undefined;
      } catch {
        return own;
      }
    },
    set(value) {
      own = storage ? undefined : value;
      try {
        if (value === undefined) storage?.removeItem(key);
        else storage?.setItem(key, value);
      } catch {
        own = value; // full, or forbidden
      }
    },
  };
}

/** The device's id, made up where there is none. `crypto.randomUUID` is there in secure contexts only. */
export function storedId(platform: Platform): string {
  const stored = createStored(platform, "rollcall:device");
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const id = stored.get() ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  stored.set(id);
  return id;
}
