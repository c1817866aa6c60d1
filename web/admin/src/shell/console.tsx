import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Desk } from "../desk/desk";
import { EventsView } from "../events/events-view";
import { OnlineView } from "../list/online-view";
import { OverviewView } from "../overview/overview-view";
import { parseRoute, type Route } from "../route";
import { UserView } from "../user/user-view";
import { Bar } from "./bar";
import { Notice } from "./notice";

const titles = { overview: "Overview", online: "Online", events: "Events", user: "User" } as const;

/** The console of who is signed in. */
export function Console({ desk, onSignOut }: { desk: Desk; onSignOut(): void }) {
  const route = useRoute();
  const first = useRef(true);
  useEffect(() => {
    document.title = `${route.view === "user" ? route.id : titles[route.view]} · Rollcall console`;
    // Another view is read from its heading on; the first one from the start of the page.
    if (!first.current) document.querySelector("h1")?.focus({ preventScroll: true });
    first.current = false;
  }, [route]);
  return (
    <div class="shell">
      <Bar desk={desk} route={route} onSignOut={onSignOut} />
      <Status desk={desk} />
      <main>
        <View desk={desk} route={route} />
      </main>
    </div>
  );
}

/** Apart, since it counts by the second. */
function Status({ desk }: { desk: Desk }) {
  desk.now.value; // drawn anew each second
  const now = Date.now();
  return <Notice phase={desk.phase.value} now={now} ahead={desk.clock.now() - now} />;
}

function View({ desk, route }: { desk: Desk; route: Route }) {
  switch (route.view) {
    case "overview":
      return <OverviewView desk={desk} />;
    case "online":
      return <OnlineView desk={desk} />;
    case "events":
      return <EventsView key={route.userId} desk={desk} userId={route.userId} />;
    case "user":
      return <UserView key={route.id} desk={desk} id={route.id} />;
  }
}

function useRoute(): Route {
  const route = useSignal(parseRoute(location.hash));
  useEffect(() => {
    const read = () => (route.value = parseRoute(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return route.value;
}
