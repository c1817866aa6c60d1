import { useEffect, useState } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { count } from "../format";
import type { User } from "../presence";
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
  const partial = rows.find(text, most).filter((row) => row.user.id !== exact.user?.id);
  const found: Row[] = exact.user ? [{ user: exact.user, gone: false, reason: null }, ...partial] : partial;
  return (
    <div class="card list" data-testid="search-results">
      <p class="hint quiet" role="status">
        {exact.asking ? "Searching…" : found.length === 0 ? "Nobody found. " : `${count(found.length)} found. `}A whole
        id is looked up among all users, a part of an id or name among the {count(rows.length)} rows read so far.
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

/** Looks an id up, a moment after it was typed. */
function useExact(desk: Desk, id: string): { user: User | null; asking: boolean } {
  const [answer, setAnswer] = useState<{ id: string; user: User | null }>({ id: "", user: null });
  useEffect(() => {
    let current = true;
    const waiting = setTimeout(() => {
      desk.ask(desk.api.users([id])).then(
        ([user]) => current && setAnswer({ id, user: user ?? null }),
        () => current && setAnswer({ id, user: null }), // not an id, or no answer, which the connection's state says
      );
    }, waitMs);
    return () => {
      current = false;
      clearTimeout(waiting);
    };
  }, [desk, id]);
  return answer.id === id ? { user: answer.user, asking: false } : { user: null, asking: true };
}
