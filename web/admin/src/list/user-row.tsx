import type { ReadonlySignal } from "@preact/signals";
import { hrefOf } from "../route";
import { Ago, Since } from "../ui/ago";
import { Avatar } from "../ui/avatar";
import { StatusBadge } from "../ui/status";
import type { Row } from "./rows";

interface UserRowProps {
  row: Row;
  /** Its number in the list, from 0. */
  place: number;
  top: string;
  now: ReadonlySignal<number>;
  /** Whether Tab leads here; to the other rows the arrow keys do. */
  tabbable: boolean;
}

/** A user in the list. */
export function UserRow({ row, place, top, now, tabbable }: UserRowProps) {
  const { user, gone, reason } = row;
  return (
    <div
      class={gone ? "row user-row gone" : "row user-row"}
      role="row"
      aria-rowindex={place + 2}
      style={{ transform: top }}
      data-user={user.id}
    >
      <div class="who" role="cell">
        <Avatar user={user} />
        <a class="name" href={hrefOf({ view: "user", id: user.id })} tabIndex={tabbable ? 0 : -1} data-place={place}>
          <span class="cut">{user.name ?? user.id}</span>
          <span class="cut quiet id">{user.name === null ? "no details" : user.id}</span>
        </a>
      </div>
      <div class="level" role="cell">
        {user.level === null ? <span class="quiet">–</span> : <span class="level-chip">{user.level}</span>}
      </div>
      <div class="status" role="cell">
        <StatusBadge status={user.presence.status} reason={reason} />
      </div>
      <div class="active" role="cell">
        <Ago at={user.presence.lastActiveAt} now={now} />
      </div>
      <div class="since quiet" role="cell">
        <Since at={user.presence.onlineSince} now={now} />
      </div>
    </div>
  );
}
