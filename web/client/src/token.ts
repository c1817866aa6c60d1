import { RollcallError } from "./error.js";

/** A token, or what provides one: asked at each connection, and after one was refused. */
export type TokenSource = string | (() => string | Promise<string>);

/** The token in use. It is kept in memory only. */
export interface Tokens {
  /** The last token, or a first one. */
  current(): Promise<string>;
  /** A token asked for anew. */
  fresh(): Promise<string>;
}

export function createTokens(source: TokenSource): Tokens {
  let last: Promise<string> | undefined;
  const fresh = () => {
    const asked = (async () => (typeof source === "string" ? source : source()))().catch((thrown: unknown) => {
      throw new RollcallError("TOKEN", thrown instanceof Error ? thrown.message : String(thrown));
    });
    last = asked;
    asked.catch(() => {
      if (last === asked) last = undefined; // whoever comes next asks again
    });
    return asked;
  };
  return { fresh, current: () => last ?? fresh() };
}
