import { useState } from "preact/hooks";
import { hue, initials } from "../format";
import type { User } from "../presence";

/** Hues around the wheel that a name's circle may have. */
const hues = 12;

/** A user's picture, or initials where there is none that may be shown. Always beside the name, so it says nothing itself. */
export function Avatar({ user, big = false }: { user: User; big?: boolean }) {
  const [broken, setBroken] = useState<string | null>(null);
  const url = user.avatarUrl;
  const style = { "--hue": String((hue(user.id, hues) * 360) / hues) };
  return (
    <span class={big ? "avatar big" : "avatar"} style={style} aria-hidden="true">
      {url !== null && url !== broken && allowed(url) ? (
        <img src={url} alt="" loading="lazy" onError={() => setBroken(url)} />
      ) : (
        initials(user.name, user.id)
      )}
    </span>
  );
}

/** Whether the page's policy lets a picture load (web/web.go says why): a foreign one isn't even tried. */
function allowed(url: string): boolean {
  if (url.startsWith("data:image/")) return true;
  return URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
}
