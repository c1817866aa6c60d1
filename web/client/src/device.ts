import { createActivity } from "./activity.js";
import { after } from "./clock.js";
import type { Client } from "./client.js";
import type { Connection } from "./connection.js";
import { RollcallError } from "./error.js";
import type { Platform } from "./platform.js";
import { keepSession } from "./session.js";
import type { Stored } from "./stored.js";
import { joinTabs } from "./tabs.js";

/** How this device's presence stands. */
export type PresenceState =
  | { readonly status: "connecting" }
  | { readonly status: "online" }
  /**
   * `connection`: lost, and being sought again; others see the user online until the lease ends. The others are
   * for good: `signedOut` here, `ended` elsewhere or by an administrator, `refused` for the error that was told,
   * `closed` with the client, which leaves the session to another tab, or to its lease.
   */
  | { readonly status: "offline"; readonly reason: "connection" | "signedOut" | "ended" | "refused" | "closed" }
  /** Signed in on another device. For good: this one does not fight back. */
  | { readonly status: "replaced" };

/** What the tabs tell one another. */
type News =
  { state: PresenceState } | { error: [code: string, message: string, retryAfterMs: number | undefined] } | "touch";

export interface DeviceOptions {
  client: Client;
  connection: Connection;
  platform: Platform;
  /** Tabs of one name are one device. */
  name: string;
  deviceId: string;
  /** The session's token. */
  stored: Stored;
  /** Whether a page in sight counts as used. */
  always: boolean;
  /** The least time between two reports of activity, in milliseconds. */
  every: number;
  /** How the presence stands, as it was last told. */
  state(): PresenceState;
  /** The presence stands so from now on. */
  told(state: PresenceState): void;
  failed(error: RollcallError): void;
}

/** One tab's part in its device: it keeps the session while it leads, and otherwise hears how that stands. */
export interface DeviceTab {
  /** The user did something in this tab. */
  touch(): void;
  /** This tab is seen from now on, or no longer. */
  shown(): void;
  /** Whether it leads and no other is known. */
  readonly last: boolean;
  /** Tells the others how the presence stands. */
  tell(state: PresenceState): void;
  /**
   * The session is left to whoever comes next, or to its lease. After what is `final` nobody shall come next, so a tab
   * that leads does so until the others have heard of it.
   */
  leave(final: boolean): void;
}

/** How long the others may take to hear what is final, in milliseconds. */
const hearWithin = 1_000;
/** A tab that follows tells of activity so often, in milliseconds. */
const touchEvery = 10_000;

export function joinDevice(o: DeviceOptions): DeviceTab {
  const { platform } = o;
  let session: ReturnType<typeof keepSession> | undefined;
  let unlisten = () => {};
  let visible = platform.visible();
  let earlier = true; // until another tab leads, a stored session is an earlier page's
  let touchedAt = 0;
  let left = false;

  const tell = (news: News) => tabs.tell(news);
  function told(state: PresenceState) {
    tell({ state });
    o.told(state);
  }
  function failed(error: RollcallError) {
    tell({ error: [error.code, error.message, error.retryAfterMs] });
    o.failed(error);
  }

  const activity = createActivity({
    visible: () => tabs.visible(),
    always: o.always,
    every: o.every,
    beat: () => session?.beat(),
  });
  /** Beats at once when the first tab is seen, and when the last no longer is. */
  function look() {
    if (visible === tabs.visible()) return;
    visible = !visible;
    if (visible) activity.touch();
    session?.beat();
  }

  function lead() {
    unlisten = o.connection.onState(({ status }) => {
      if (status === "waiting") told({ status: "offline", reason: "connection" });
    });
    session = keepSession({
      client: o.client,
      connection: o.connection,
      deviceId: o.deviceId,
      stored: o.stored,
      earlier,
      active: activity.send,
      unsent: activity.unsent,
      online: () => told({ status: "online" }),
      failed,
      over(error) {
        if (error.code === "SESSION_REPLACED") return told({ status: "replaced" });
        if (error.code === "SESSION_ENDED") return told({ status: "offline", reason: "ended" });
        failed(error);
        told({ status: "offline", reason: "refused" });
      },
    });
  }
  function follow() {
    unlisten();
    session?.stop();
    session = undefined;
  }

  const tabs = joinTabs({
    platform,
    name: o.name,
    lead,
    follow,
    hear(heard) {
      const news = heard as News; // from this library in another tab
      if (left) return;
      if (news === "touch") return activity.touch();
      if ("error" in news) return o.failed(new RollcallError(...news.error));
      earlier = false;
      o.told(news.state);
    },
    changed(newcomer) {
      look();
      if (newcomer && session) tell({ state: o.state() });
    },
  });

  return {
    touch() {
      if (session) return activity.touch();
      if (Date.now() - touchedAt < touchEvery) return;
      touchedAt = Date.now();
      tell("touch");
    },
    shown() {
      tabs.say();
      look();
    },
    get last() {
      return tabs.leading && tabs.alone();
    },
    tell: (state) => tell({ state }),
    leave(final) {
      const led = session;
      left = true;
      activity.stop();
      follow();
      if (final && led) after(hearWithin, tabs.leave);
      else tabs.leave();
    },
  };
}
