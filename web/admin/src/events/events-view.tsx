import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { count } from "../format";
import type { EventType } from "../presence";
import { Heading } from "../ui/heading";
import { CheckIcon, PauseIcon, PlayIcon, SearchIcon } from "../ui/icons";
import { EventList } from "./event-list";
import { eventTypes, wanted } from "./filter";
import type { Entry } from "./log";

const words = { ONLINE: "Online", OFFLINE: "Offline", UPDATED: "Updated" } as const;

/** All transitions as they happen. */
export function EventsView({ desk, userId = "" }: { desk: Desk; userId?: string | undefined }) {
  const [user, setUser] = useState(userId);
  const [types, setTypes] = useState<ReadonlySet<EventType>>(new Set(eventTypes));
  const narrowed = user.trim() !== "" || types.size < eventTypes.length;
  // Narrowed, the stream has room of its own, so that others' events don't push out the wanted ones.
  const log = useMemo(
    () => (narrowed ? desk.log.narrowed(desk.log.capacity, wanted({ user, types })) : desk.log),
    [desk, user, types],
  );
  // Before anything else can be told: an event between the two would be in neither.
  useLayoutEffect(() => (narrowed ? desk.follow(log) : undefined), [log]);

  const [paused, setPaused] = useState<{ entries: Entry[]; at: number } | null>(null);
  useEffect(() => setPaused(null), [log]);
  desk.told.value; // drawn anew when something has been told
  const entries = paused?.entries ?? log.newestFirst();
  const toggle = (type: EventType, on: boolean) => {
    setTypes(new Set(eventTypes.filter((each) => (each === type ? on : types.has(each)))));
  };

  return (
    <div class="page filled">
      <header>
        <Heading>Events</Heading>
        <div class="toolbar" role="group" aria-label="Filter">
          <label class="search">
            <span class="unseen">Filter by user</span>
            <SearchIcon />
            <input
              class="field"
              type="search"
              placeholder="Filter by user"
              value={user}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setUser(event.currentTarget.value)}
            />
          </label>
          <fieldset class="chips" aria-label="Types">
            {eventTypes.map((type) => (
              <label key={type}>
                <input
                  type="checkbox"
                  checked={types.has(type)}
                  onChange={(event) => toggle(type, event.currentTarget.checked)}
                />
                <CheckIcon />
                {words[type]}
              </label>
            ))}
          </fieldset>
          <button
            type="button"
            class="button pause"
            aria-pressed={paused !== null}
            onClick={() => setPaused(paused ? null : { entries: log.newestFirst(), at: log.last })}
          >
            {paused ? <PlayIcon /> : <PauseIcon />}
            <span class="word">{paused ? "Go on" : "Pause"}</span>
          </button>
        </div>
      </header>
      <div class="card list events" data-testid="events">
        {paused && (
          <p class="hint quiet">
            <span role="status">Paused.</span>{" "}
            {log.last === paused.at ? "Nothing has come since." : `${count(log.last - paused.at)} have come since.`}
          </p>
        )}
        <EventList
          entries={entries}
          empty={
            narrowed
              ? "No event that matches since you signed in."
              : "No event since you signed in. Whoever comes or goes appears here at once."
          }
        />
      </div>
    </div>
  );
}
