import { useState } from "preact/hooks";
import { count, minuteOfDay } from "../format";
import { useWidth } from "../ui/use-width";
import { areaPath, linePath, lines, nearest, quarters, ticks, x, y, type Plot, type Point } from "./scale";

const height = 180;
const room = { left: 40, right: 12, top: 12, bottom: 24 };
/** The history has a point a minute. */
const gapMs = 150_000;

/** The online count over a while. What it says is in its label too. */
export function AreaChart({ points, from, to }: { points: readonly Point[]; from: number; to: number }) {
  const [box, width] = useWidth<HTMLDivElement>(600);
  const [pointedAt, setPointedAt] = useState<number | null>(null);

  const scale = ticks(Math.max(...points.map((point) => point.value), 0));
  const plot: Plot = {
    from,
    to,
    max: scale.at(-1) ?? 1,
    width: Math.max(1, width - room.left - room.right),
    height: height - room.top - room.bottom,
  };
  const point = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left - room.left;
    setPointedAt(from + (left / plot.width) * (to - from));
  };
  const shown = pointedAt === null ? undefined : nearest(points, pointedAt);

  return (
    <div class="chart" ref={box} onPointerMove={point} onPointerLeave={() => setPointedAt(null)}>
      <svg width={width} height={height} role="img" aria-label={summary(points)}>
        <g transform={`translate(${room.left} ${room.top})`}>
          {scale.map((value) => (
            <g key={value} transform={`translate(0 ${y(plot, value)})`}>
              <path class={value === 0 ? "axis" : "grid"} d={`M0 0H${plot.width}`} />
              <text x={-8} dy="0.35em" text-anchor="end">
                {brief(value)}
              </text>
            </g>
          ))}
          {quarters(from, to).map((at) => (
            <text key={at} x={x(plot, at)} y={plot.height + 18} text-anchor="middle">
              {minuteOfDay(at)}
            </text>
          ))}
          {lines(points, gapMs).map((part) => (
            <g key={part[0]?.at}>
              <path class="area" d={areaPath(plot, part)} />
              <path class="line" d={linePath(plot, part)} />
            </g>
          ))}
          {shown && (
            <g transform={`translate(${x(plot, shown.at)} 0)`}>
              <path class="pointer" d={`M0 0V${plot.height}`} />
              <circle class="dot" cy={y(plot, shown.value)} r="4" />
            </g>
          )}
        </g>
      </svg>
      {shown && (
        <div
          class="tip"
          style={{ left: `${room.left + Math.min(Math.max(48, x(plot, shown.at)), plot.width - 48)}px` }}
        >
          <strong>{count(shown.value)}</strong> <span class="quiet">{minuteOfDay(shown.at)}</span>
        </div>
      )}
    </div>
  );
}

/** 20k for 20,000, so that an axis needs little room. */
const brief = (n: number): string => (n >= 10_000 ? `${n / 1000}k` : count(n));

function summary(points: readonly Point[]): string {
  const last = points.at(-1);
  if (!last) return "Online users: nothing recorded yet";
  const values = points.map((point) => point.value);
  return `Online users: now ${count(last.value)}, least ${count(Math.min(...values))}, most ${count(Math.max(...values))}`;
}
