/** Which rows of a list of equally high ones are to be drawn: those in sight and some around them. */
export interface Window {
  from: number;
  to: number;
}

/**
 * The rows to draw. `margin` is how many are drawn above and below those in sight, so that a scroll shows
 * no blank before the next frame.
 */
export function windowOf(scrollTop: number, height: number, rowHeight: number, count: number, margin: number): Window {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const last = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight);
  return { from: Math.min(Math.max(0, first - margin), count), to: Math.min(count, last + margin) };
}

/** Where to scroll so that a row is in sight, moving no further than needed. */
export function scrollFor(place: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = place * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}
