/** The numbers that a vertical axis is drawn with: from 0 in equal round steps to the first at or above `max`. */
export function ticks(max: number, steps = 3): number[] {
  const step = roundUp(Math.max(max, 1) / steps);
  const count = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** The next number of the form 1, 2, 2.5 or 5 times a power of ten; whole. */
function roundUp(n: number): number {
  const power = 10 ** Math.floor(Math.log10(n));
  const round = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= n && Number.isInteger(factor * power)) ?? 10;
  return round * power;
}

/** The whole quarters of an hour in a span of time. */
export function quarters(from: number, to: number): number[] {
  const quarter = 15 * 60_000;
  const found: number[] = [];
  for (let at = Math.ceil(from / quarter) * quarter; at <= to; at += quarter) found.push(at);
  return found;
}

/** A value at a time. */
export interface Point {
  at: number;
  value: number;
}

/** Where a chart's points are drawn: time to the right, value upwards. */
export interface Plot {
  from: number;
  to: number;
  max: number;
  width: number;
  height: number;
}

export const x = (plot: Plot, at: number): number => ((at - plot.from) / (plot.to - plot.from)) * plot.width;
export const y = (plot: Plot, value: number): number => plot.height - (value / plot.max) * plot.height;

/** The path of a line through the points, in parts where nothing was recorded for longer than `gapMs`. */
export function lines(points: readonly Point[], gapMs: number): Point[][] {
  const parts: Point[][] = [];
  let last: Point | undefined;
  for (const point of points) {
    if (!last || point.at - last.at > gapMs) parts.push([]);
    parts.at(-1)?.push(point);
    last = point;
  }
  return parts;
}

export function linePath(plot: Plot, points: readonly Point[]): string {
  return points
    .map((point, i) => `${i === 0 ? "M" : "L"}${x(plot, point.at).toFixed(1)} ${y(plot, point.value).toFixed(1)}`)
    .join("");
}

/** The area under that line. */
export function areaPath(plot: Plot, points: readonly Point[]): string {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) return "";
  return `${linePath(plot, points)}L${x(plot, last.at).toFixed(1)} ${plot.height}L${x(plot, first.at).toFixed(1)} ${plot.height}Z`;
}

/** The point nearest to a time. */
export function nearest(points: readonly Point[], at: number): Point | undefined {
  return points.reduce<Point | undefined>(
    (best, point) => (!best || Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best),
    undefined,
  );
}
