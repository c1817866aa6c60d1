import type { ComponentChildren } from "preact";
import { duration, fraction, timeOfDay } from "../format";
import { hrefOf } from "../route";
import { describe } from "./filter";
import type { Entry } from "./log";

const words = { ONLINE: "Online", OFFLINE: "Offline", UPDATED: "Updated" } as const;

/** A line of the event stream. */
export function EventRow({ entry, top, place }: { entry: Entry; top: string; place: number }) {
  if (entry.kind === "gap") {
    return (
      <Mark className="gap" top={top} place={place}>
        {timeOfDay(entry.at)} Events may be missing here: the server's log did not reach back
      </Mark>
    );
  }
  if (entry.kind === "resumed") {
    return (
      <Mark className="resumed" top={top} place={place}>
        {timeOfDay(entry.at)} Reconnected after {duration(entry.lostMs)}: nothing is missing
      </Mark>
    );
  }
  const { event } = entry;
  return (
    <div
      class="row event"
      role="row"
      aria-rowindex={place + 1}
      style={{ transform: top }}
      data-user={event.user.id}
      data-type={event.type}
    >
      <time class="quiet mono" role="cell" dateTime={new Date(event.at).toISOString()}>
        {timeOfDay(event.at)}
        <span class="fraction">{fraction(event.at)}</span>
      </time>
      <span role="cell">
        <span class={`tag ${event.type.toLowerCase()}`}>{words[event.type]}</span>
      </span>
      <span class="cut" role="cell">
        <a href={hrefOf({ view: "user", id: event.user.id })}>
          <strong>{event.user.name ?? event.user.id}</strong>
        </a>{" "}
        <span class="quiet">{describe(event)}</span>
      </span>
      <span class="cut quiet mono id" role="cell">
        {event.user.name !== null && event.user.id}
      </span>
    </div>
  );
}

function Mark({
  className,
  top,
  place,
  children,
}: {
  className: string;
  top: string;
  place: number;
  children: ComponentChildren;
}) {
  return (
    <div
      class={`row mark ${className}`}
      role="row"
      aria-rowindex={place + 1}
      style={{ transform: top }}
      data-mark={className}
    >
      <span role="cell">{children}</span>
    </div>
  );
}
