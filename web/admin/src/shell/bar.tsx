import type { Phase } from "../connection/health";
import type { Desk } from "../desk/desk";
import { hrefOf, type Route } from "../route";
import { alarming } from "../thresholds";
import { EventsIcon, OnlineIcon, OverviewIcon, SignOutIcon } from "../ui/icons";
import { ThemeSwitch } from "../ui/theme";
import { Brand } from "./brand";

const views = [
  { view: "overview", name: "Overview", Icon: OverviewIcon },
  { view: "online", name: "Online", Icon: OnlineIcon },
  { view: "events", name: "Events", Icon: EventsIcon },
] as const;

const states: Record<Phase["name"], [text: string, look: string]> = {
  live: ["Live", "live"],
  connecting: ["Connecting…", "waiting"],
  reconnecting: ["Reconnecting…", "waiting"],
  unavailable: ["Store down", "failed"],
  forbidden: ["Not allowed", "failed"],
  "signed-out": ["Signed out", "failed"],
};

/** The views, and how the connection is. */
export function Bar({ desk, route, onSignOut }: { desk: Desk; route: Route; onSignOut(): void }) {
  const current = route.view === "user" ? "online" : route.view;
  const [text, look] = states[desk.phase.value.name];
  return (
    <header class="bar">
      <Brand />
      <nav class="views" aria-label="Views">
        {views.map(({ view, name, Icon }) => (
          <a key={view} href={hrefOf({ view })} aria-current={view === current ? "page" : undefined}>
            <Icon />
            {name}
            {view === "overview" && desk.cluster.value && alarming(desk.cluster.value) && (
              <span class="alarm" role="img" aria-label="a limit is crossed" />
            )}
          </a>
        ))}
      </nav>
      <div class="rest">
        <span class={`badge ${look}`} data-testid="phase">
          {text}
        </span>
        <ThemeSwitch />
        <button type="button" class="button plain square" aria-label="Sign out" title="Sign out" onClick={onSignOut}>
          <SignOutIcon />
        </button>
      </div>
    </header>
  );
}
