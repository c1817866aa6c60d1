import { after } from "./clock.js";

/**
 * What the user does, as beats tell of it. A lease is kept by beats or pongs alike; that the user is active, and so
 * not AWAY, is told by beats with `active: true` only, and one a minute is enough for that.
 */
export interface Activity {
  /** Whether the beat that is sent now is an active one: the page is in sight, and was used since the last such. */
  send(): boolean;
  /** That beat was not accepted. */
  unsent(): void;
  /** The user did something: told by the next beat, or by one of its own if none comes in time. */
  touch(): void;
  stop(): void;
}

export interface ActivityOptions {
  visible(): boolean;
  /** Whether being in sight counts as use. */
  always: boolean;
  /** The least time between two beats for nothing but activity, in milliseconds. */
  every: number;
  beat(): void;
}

export function createActivity({ visible, always, every, beat }: ActivityOptions): Activity {
  let used = true;
  let sentAt = Date.now();
  let cancel: (() => void) | undefined;

  function arm() {
    if (!used) return;
    cancel ??= after(Math.max(0, sentAt + every - Date.now()), () => {
      cancel = undefined;
      if (!used || !visible()) return;
      if (Date.now() - sentAt < every)
        arm(); // a beat that was due has told of it
      else beat();
    });
  }
  return {
    send() {
      const active = used && visible();
      if (active) {
        used = always;
        sentAt = Date.now();
        arm();
      }
      return active;
    },
    unsent: () => void (used = true),
    touch() {
      used = true;
      arm();
    },
    stop: () => cancel?.(),
  };
}
