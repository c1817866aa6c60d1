/**
 * Whether the page's policy lets a picture load: its own site's, those of the origins that the operator has set, and
 * data (web/web.go says why). Another is not even tried.
 */
export function mayLoad(picture: string, page: string, origins: readonly string[]): boolean {
  if (picture.startsWith("data:image/")) return true;
  if (!URL.canParse(picture, page)) return false;
  const { origin } = new URL(picture, page);
  return origin === new URL(page).origin || origins.includes(origin);
}
