import { Brand } from "./brand";

/** For whose token is good, but not an administrator's. */
export function Forbidden({ onSignOut }: { onSignOut(): void }) {
  return (
    <main class="gate">
      <div class="card stack">
        <div>
          <Brand />
          <h1>Not allowed</h1>
        </div>
        <p>The console is for administrators, and your token is not one's.</p>
        <button type="button" class="button primary" onClick={onSignOut}>
          Sign in with another token
        </button>
      </div>
    </main>
  );
}
