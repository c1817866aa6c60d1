import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { Settings } from "../settings";
import { Brand } from "./brand";

/** The dev token that is filled in; GraphiQL's examples have the same. */
const devToken = "dev:alice:admin";

interface SignInProps {
  auth: Settings["auth"];
  /** Why the last token is no longer good; empty on the first visit. */
  why: string;
  onSignIn(token: string): void;
}

/** Takes a token, which is kept in the page's memory and nowhere else. */
export function SignIn({ auth, why, onSignIn }: SignInProps) {
  const dev = auth === "dev";
  const [token, setToken] = useState(dev ? devToken : "");
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const bare = token.trim().replace(/^Bearer\s+/i, "");
    if (bare !== "") onSignIn(bare);
  };
  return (
    <main class="gate">
      <form class="card stack" onSubmit={submit}>
        <div>
          <Brand />
          <h1>Sign in to the console</h1>
        </div>
        {why && (
          <p class="failure" role="alert">
            {why}
          </p>
        )}
        <label class="labelled">
          Token
          <input
            class="field mono"
            name="token"
            {...(dev ? { type: "text" } : { type: "password" })}
            value={token}
            required
            autoFocus
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p class="quiet">
          {dev ? (
            <>This server takes dev tokens: anybody on this machine is who they say.</>
          ) : (
            <>
              An administrator's. <code class="mono">rollcall token --user YOU --role admin</code> makes one.
            </>
          )}{" "}
          The token is forgotten when you leave the page.
        </p>
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
