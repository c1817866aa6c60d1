import { after } from "./clock.js";
import type { Channel, Platform } from "./platform.js";

// In milliseconds.
const sayEvery = 30_000;
/** A tab that has said nothing for so long is gone: one in sight, and a hidden one, whose timers are throttled. */
const goneAfter = { seen: 75_000, hidden: 300_000 };
/** How long an answer of the leader may take, where there are no locks. */
const answerWithin = 300;

/** What tabs say to one another. */
type Message =
  | { kind: "here"; visible: boolean; answer?: boolean }
  | { kind: "bye" | "who" | "lead" }
  | { kind: "news"; news: unknown };

export interface TabsOptions {
  platform: Platform;
  /** Tabs of one name are one device. */
  name: string;
  /** This tab leads from now on. */
  lead(): void;
  /** It does no longer: two led, as may happen for a moment where there are no locks. */
  follow(): void;
  /** Another tab told something. */
  hear(news: unknown): void;
  /** Another tab has come (`newcomer`) or gone, or is seen or no longer seen. */
  changed(newcomer: boolean): void;
}

/** The tabs of a browser that are one device. One of them leads; when it goes, the next does. */
export interface Tabs {
  readonly leading: boolean;
  /** Whether the user can see one of them. */
  visible(): boolean;
  /** Whether no other is known. */
  alone(): boolean;
  tell(news: unknown): void;
  /** Tells the others whether this one is seen. */
  say(): void;
  leave(): void;
}

const heard = (at: number, within: number) => at > Date.now() - within;

export function joinTabs({ platform, name, lead, follow, hear, changed }: TabsOptions): Tabs {
  const me = Math.random().toString(36);
  const others = new Map<string, { visible: boolean; at: number }>();
  const channel: Channel | undefined = platform.channel(name);
  const left = new AbortController();
  let { locks } = platform;
  let leading = false;
  let cancelElection = () => {};
  let cancelSay = () => {};

  const post = (message: Message) => channel?.postMessage({ ...message, from: me });
  const say = (answer = false) => post({ kind: "here", visible: platform.visible(), answer });
  function become(leader: boolean) {
    cancelElection();
    if (leader === leading || left.signal.aborted) return;
    leading = leader;
    if (!leader) return follow();
    if (!locks) post({ kind: "lead" });
    lead();
  }
  /** Leads unless somebody says within a moment that they do. */
  function elect() {
    post({ kind: "who" });
    cancelElection();
    cancelElection = after(answerWithin * (1 + Math.random()), () => become(true));
  }

  function receive(from: string, message: Message) {
    switch (message.kind) {
      case "here":
        others.set(from, { visible: message.visible, at: Date.now() });
        if (!message.answer) say(true);
        return changed(!message.answer);
      case "bye":
        others.delete(from);
        if (!locks && !leading) elect(); // it may have led
        return changed(false);
      case "news":
        return hear(message.news);
      case "who":
        return leading && post({ kind: "lead" });
      case "lead": // of two that lead, one goes on
        return leading && me < from ? post({ kind: "lead" }) : become(false);
    }
  }
  if (channel) channel.onmessage = ({ data: { from, ...message } }) => void receive(from, message);
  say();
  (function rest() {
    cancelSay = after(sayEvery, () => {
      post({ kind: "here", visible: platform.visible(), answer: true });
      if (!locks && !leading && channel) elect();
      changed(false);
      rest();
    });
  })();

  if (!channel) queueMicrotask(() => become(true));
  else if (!locks) elect();
  else {
    locks
      .request(name, { signal: left.signal }, () => {
        become(true);
        return new Promise<void>((release) => left.signal.addEventListener("abort", () => release()));
      })
      .catch(() => {
        if (left.signal.aborted || leading) return;
        locks = undefined; // a page in a sandbox has them, and is refused each
        elect();
      });
  }

  return {
    get leading() {
      return leading;
    },
    visible() {
      return platform.visible() || [...others.values()].some(({ visible, at }) => visible && heard(at, goneAfter.seen));
    },
    alone: () => ![...others.values()].some(({ at }) => heard(at, goneAfter.hidden)),
    tell: (news) => post({ kind: "news", news }),
    say: () => say(true),
    leave() {
      leading = false;
      cancelSay();
      cancelElection();
      left.abort();
      post({ kind: "bye" });
      channel?.close();
    },
  };
}
