import { duration, timeOfDay } from "../format";
import type { Phase } from "../connection/health";
import { WarningIcon } from "../ui/icons";

/**
 * Says what is wrong with the connection, and how old what is shown has become. What changes by the
 * second is not read out. `ahead` is how far the server's clock is before ours, of which all other times here are.
 */
export function Notice({ phase, now, ahead }: { phase: Phase; now: number; ahead: number }) {
  return (
    <div role="status" aria-live="polite" data-testid="notice">
      {(phase.name === "reconnecting" || phase.name === "unavailable") && (
        <div class={phase.name === "unavailable" ? "notice severe appear" : "notice appear"} data-phase={phase.name}>
          <WarningIcon />
          <p>
            <strong>{phase.name === "unavailable" ? "The store can't be reached." : "The connection is lost."}</strong>{" "}
            What you see is as of {timeOfDay(phase.since + ahead)}
            <span aria-hidden="true">
              , {duration(now - phase.since)} ago{phase.name === "reconnecting" && `. ${countdown(phase.retryAt, now)}`}
            </span>
          </p>
        </div>
      )}
    </div>
  );
}

function countdown(retryAt: number | null, now: number): string {
  if (retryAt === null || retryAt <= now) return "Trying again now…";
  return `Trying again in ${Math.ceil((retryAt - now) / 1000)}\u00a0s`;
}
