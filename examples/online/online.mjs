// A page whose visitor is online as long as one of their tabs has it, and that shows who else is.
import { createPresence } from "@rollcall/client";

const user = new URLSearchParams(location.search).get("user") || "alice";
const presence = createPresence({ url: "/graphql", token: `dev:${user}` }); // a real page's token comes from its sign-in

const status = element("status");
const button = element("switch");
const texts = {
  connecting: "connecting …",
  online: "online",
  replaced: "signed in on another device",
  connection: "offline: the connection was lost, and is being sought",
  signedOut: "signed out",
  ended: "signed out from elsewhere",
  refused: "offline: the server refuses",
  closed: "offline",
};

element("me").textContent = user;
element("other").setAttribute("href", `?user=${user === "alice" ? "bob" : "alice"}`);
presence.on("state", showState);
presence.on("error", (error) => console.warn(error.code, error.message));
showState(presence.state);

/** @param {import("@rollcall/client").PresenceState} state */
function showState(state) {
  status.dataset.status = state.status;
  status.textContent = texts[state.status === "offline" ? state.reason : state.status];
  const here = state.status === "online";
  button.hidden = state.status === "connecting" || (state.status === "offline" && state.reason === "connection");
  button.textContent = here ? "Sign out" : "Be online here";
  button.onclick = here ? () => presence.stop().catch(console.warn) : presence.start;
}

const watch = presence.watch();
watch.on("change", (presences) => {
  const sorted = [...presences.values()].sort((a, b) => a.userId.localeCompare(b.userId));
  element("users").replaceChildren(
    ...sorted.map(({ userId, status: shown }) => {
      const item = document.createElement("li");
      item.dataset.status = shown;
      item.textContent = shown === "AWAY" ? `${userId} (away)` : userId;
      return item;
    }),
  );
});
presence.client.on("state", (state) => {
  element("connection").textContent =
    state.status === "open" ? `Connected by ${state.transport}.` : "What this shows may be out of date.";
});

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}
