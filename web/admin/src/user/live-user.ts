import { signal } from "@preact/signals";
import { RollcallError } from "@rollcall/client";
import type { Desk } from "../desk/desk";
import type { EventLog } from "../events/log";
import type { OfflineReason, PresenceEvent, User } from "../presence";

const logCapacity = 200;
/** Heartbeats are no events, so the last activity is read again this often. */
const readEveryMs = 5000;

/** One user, kept up to date. */
export class LiveUser {
  readonly id: string;
  readonly user = signal<User | null>(null);
  readonly state = signal<"loading" | "ready" | "unknown" | "failed">("loading");
  /** Why the user went offline, if that was seen. */
  readonly reason = signal<OfflineReason | null>(null);
  /** What happened to this user since the console was signed in. */
  readonly log: EventLog;

  readonly #desk: Desk;
  readonly #stops: (() => void)[];
  /** Moves with each question and event, so that no older answer comes on top of it. */
  #moved = 0;
  #open = 0;

  constructor(desk: Desk, id: string) {
    this.#desk = desk;
    this.id = id;
    this.log = desk.log.narrowed(logCapacity, (event) => event.user.id === id);
    const reading = setInterval(() => document.hidden || this.#open > 0 || void this.read(), readEveryMs);
    this.#stops = [
      () => clearInterval(reading),
      desk.follow(this.log),
      desk.listen(({ events, reset }) => {
        const last = events.findLast((event) => event.user.id === id);
        if (last) this.#take(last);
        if (last || reset) void this.read();
      }),
    ];
    void this.read();
  }

  /** Reads the user again. */
  async read(): Promise<void> {
    const moved = ++this.#moved;
    this.#open++;
    try {
      const [user = null] = await this.#desk.ask(this.#desk.api.users([this.id]));
      if (moved !== this.#moved) return;
      this.user.value = user;
      this.state.value = user === null ? "unknown" : "ready";
      if (user?.presence.status !== "OFFLINE") this.reason.value = null;
    } catch (error) {
      if (error instanceof RollcallError && error.code === "BAD_USER_INPUT")
        this.state.value = "unknown"; // no id at all
      else if (this.state.value === "loading") this.state.value = "failed";
    } finally {
      this.#open--;
    }
  }

  /** Status and reason change together; the device is read after. */
  #take({ user: { presence }, reason }: PresenceEvent): void {
    const known = this.user.value;
    const deviceId = presence.status === "OFFLINE" ? null : (known?.presence.deviceId ?? null);
    if (known) this.user.value = { ...known, presence: { ...presence, deviceId } };
    this.reason.value = reason;
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
  }
}
