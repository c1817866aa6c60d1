import { useEffect, useState } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { count } from "../format";
import { LiveUser } from "../user/live-user";
import type { LiveList } from "./live-list";
import type { Row } from "./rows";
import { UserRow } from "./user-row";

const waitMs = 200;
const most = 50;

/**
 * Whom a search finds: the user of just that id, whom the server knows online or not, and those of the
 * rows read so far whose id or name holds the text.
 */
export function SearchResults({ desk, list, text }: { desk: Desk; list: LiveList; text: string }) {
  list.version.value; // drawn anew when the list has changed
  const { rows } = list;
  const exact = useExact(desk, text);
  const state = exact?.state.value ?? "loading";
  const user = exact?.user.value;
  const partial = rows.find(text, most).filter((row) => row.user.id !== user?.id);
  const found: Row[] = exact && user ? [{ user, gone: false, reason: exact.reason.value }, ...partial] : partial;
  return (
    <div class="card list" data-testid="search-results">
      <p class="hint quiet" role="status">
        {said(state, found.length)} A whole id is looked up among all users, a part of an id or name among the{" "}
        {count(rows.length)} rows read so far.
      </p>
      <div class="table found" role="table" aria-label="Users found">
        <div role="rowgroup">
          {found.map((row, place) => (
            <UserRow key={row.user.id} row={row} place={place} top="none" now={desk.now} tabbable />
          ))}
        </div>
      </div>
    </div>
  );
}

function said(state: LiveUser["state"]["value"], found: number): string {
  if (state === "loading") return "Searching…";
  const outcome = found === 0 ? "Nobody found." : `${count(found)} found.`;
  if (state !== "failed") return outcome;
  return `${found === 0 ? "" : `${outcome} `}The id can't be looked up at the moment.`;
}

/** The user of an id, a moment after it was typed. */
function useExact(desk: Desk, id: string): LiveUser | null {
  const [exact, setExact] = useState<LiveUser | null>(null);
  useEffect(() => {
    let live: LiveUser | undefined;
    const waiting = setTimeout(() => setExact((live = new LiveUser(desk, id))), waitMs);
    return () => {
      clearTimeout(waiting);
      live?.close();
    };
  }, [desk, id]);
  return exact?.id === id ? exact : null;
}
