import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { EventList } from "../events/event-list";
import { hrefOf } from "../route";
import { Ago, Since } from "../ui/ago";
import { Avatar } from "../ui/avatar";
import { Heading } from "../ui/heading";
import { BackIcon, ReloadIcon } from "../ui/icons";
import { StatusBadge } from "../ui/status";
import { DisconnectDialog } from "./disconnect-dialog";
import { LiveUser } from "./live-user";

/** One user: who, since when and where from, what happened, and what can be done about it. */
export function UserView({ desk, id }: { desk: Desk; id: string }) {
  const live = useMemo(() => new LiveUser(desk, id), [desk, id]);
  useEffect(() => () => live.close(), [live]);
  const asking = useSignal(false);
  const [said, setSaid] = useState("");
  desk.told.value; // drawn anew when something has been told
  const user = live.user.value;

  const refresh = async () => {
    setSaid("");
    try {
      await desk.ask(desk.api.refresh(id));
      await live.read();
      setSaid("The details were read from the database again.");
    } catch {
      setSaid("The details could not be read again.");
    }
  };

  return (
    <div class="page filled">
      <a class="back quiet" href={hrefOf({ view: "online" })}>
        <BackIcon /> Online
      </a>
      <section class="card profile" aria-label="User" data-testid="user">
        <div class="person">
          <Avatar user={user ?? { id, name: null, avatarUrl: null, level: null, presence: offline }} big />
          <div class="names">
            <Heading>{user?.name ?? id}</Heading>
            {user && <p class="quiet mono cut">{id}</p>}
          </div>
          {user && <StatusBadge status={user.presence.status} reason={live.reason.value} />}
        </div>
        {live.state.value === "unknown" && (
          <p class="quiet">Neither the directory nor the online list knows this id.</p>
        )}
        {live.state.value === "failed" && (
          <p class="failure">This user can't be read at the moment. It is tried again.</p>
        )}
        {user && (
          <dl class="facts">
            <Fact name="Last activity">
              <Ago at={user.presence.lastActiveAt} now={desk.now} />
            </Fact>
            <Fact name="Online since">
              <Since at={user.presence.onlineSince} now={desk.now} />
            </Fact>
            <Fact name="Device">
              {user.presence.deviceId === null ? (
                <span class="quiet">–</span>
              ) : (
                <span class="mono cut">{user.presence.deviceId}</span>
              )}
            </Fact>
            <Fact name="Level">{user.level ?? <span class="quiet">–</span>}</Fact>
          </dl>
        )}
        <div class="buttons">
          <p class="said quiet" role="status">
            {said}
          </p>
          <button type="button" class="button" onClick={() => void refresh()}>
            <ReloadIcon /> Refresh details
          </button>
          <button
            type="button"
            class="button danger"
            disabled={user === null || user.presence.status === "OFFLINE"}
            onClick={() => (asking.value = true)}
          >
            Disconnect…
          </button>
        </div>
      </section>
      <section class="card list events recent" aria-label="Recent events" data-testid="recent-events">
        <h2 class="title">Recent events</h2>
        <EventList
          entries={live.log.newestFirst()}
          empty="None since you signed in. What happens appears here at once."
        />
      </section>
      {asking.value && (
        <DisconnectDialog
          name={user?.name ?? id}
          disconnect={async (reason) => {
            const ended = await desk.ask(desk.api.disconnect(id, reason));
            setSaid(ended ? "The session was ended." : "There was no session to end.");
            await live.read();
          }}
          onClose={() => (asking.value = false)}
        />
      )}
    </div>
  );
}

const offline = { status: "OFFLINE", lastActiveAt: null, onlineSince: null, deviceId: null } as const;

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt class="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
