import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../api/api";
import { Desk } from "../desk/desk";
import type { Settings } from "../settings";
import { AvatarOrigins } from "../ui/avatar";
import { Console } from "./console";
import { Forbidden } from "./forbidden";
import { SignIn } from "./sign-in";

interface AppProps {
  settings: Settings;
  connect(token: string): Api;
}

/** From sign-in to sign-out, and back to sign-in when the server no longer takes the token. */
export function App({ settings, connect }: AppProps) {
  const [desk, setDesk] = useState<Desk | null>(null);
  const why = useSignal("");
  const phase = desk?.phase.value;

  const leave = (because: string) => {
    why.value = because;
    desk?.close();
    setDesk(null);
    document.title = "Rollcall console";
  };
  useEffect(() => {
    if (phase?.name === "signed-out")
      leave(`The server did not take your token: ${phase.why.replace(/^forbidden: /, "")}`);
  }, [phase]);

  if (desk === null) {
    return <SignIn auth={settings.auth} why={why.value} onSignIn={(token) => setDesk(new Desk(connect(token)))} />;
  }
  if (phase?.name === "forbidden") return <Forbidden onSignOut={() => leave("")} />;
  return (
    <AvatarOrigins.Provider value={settings.avatarOrigins}>
      <Console desk={desk} onSignOut={() => leave("")} />
    </AvatarOrigins.Provider>
  );
}
