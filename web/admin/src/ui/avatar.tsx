import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { hue, initials } from "../format";
import type { User } from "../presence";
import { mayLoad } from "./picture";

/** Hues around the wheel that a name's circle may have. */
const hues = 12;

/** The other sites whose pictures may be shown. */
export const AvatarOrigins = createContext<readonly string[]>([]);

/** A user's picture, or initials where there is none that may be shown. Always beside the name, so it says nothing itself. */
export function Avatar({ user, big = false }: { user: User; big?: boolean }) {
  const origins = useContext(AvatarOrigins);
  const [broken, setBroken] = useState<string | null>(null);
  const url = user.avatarUrl;
  const style = { "--hue": String((hue(user.id, hues) * 360) / hues) };
  return (
    <span class={big ? "avatar big" : "avatar"} style={style} aria-hidden="true">
      {url !== null && url !== broken && mayLoad(url, location.href, origins) ? (
        <img src={url} alt="" loading="lazy" referrerpolicy="no-referrer" onError={() => setBroken(url)} />
      ) : (
        initials(user.name, user.id)
      )}
    </span>
  );
}
