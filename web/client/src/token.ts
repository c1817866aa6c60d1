import { RollcallError } from "./error.js";

/** A token, or what provides one: asked at each connection, and after one was refused. */
export type TokenSource = string | (() => string | Promise<string>);

/** The token in use. It is kept in memory only. */
export interface Tokens {
  /** The last token, or a first one. */
  current(): Promise<string>;
  /** A token asked for anew; whoever wants one at the same time gets the same, since a provider may renew but once. */
  fresh(): Promise<string>;
  /** A token in the place of one that was refused. */
  instead(refused: string): Promise<string>;
}

export function createTokens(source: TokenSource): Tokens {
  let last: Promise<string> | undefined;
  let asking = false;
  const fresh = () => {
    if (asking && last) return last;
    asking = true;
    const asked = (async () => (typeof source === "string" ? source : source()))().catch((thrown: unknown) => {
      throw new RollcallError("TOKEN", thrown instanceof Error ? thrown.message : String(thrown));
    });
    last = asked;
    asked.then(
      () => (asking = false),
      () => {
        asking = false;
        last = undefined; // whoever comes next asks again
      },
    );
    return asked;
  };
  return {
    fresh,
    current: () => last ?? fresh(),
    async instead(refused) {
      const known = await last?.catch(() => refused);
      return known === undefined || known === refused ? fresh() : known;
    },
  };
}
