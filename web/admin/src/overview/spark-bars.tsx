import { useWidth } from "../ui/use-width";

const height = 36;

/** Counts by the second as small bars, the newest at the right. The number beside them says how many it is. */
export function SparkBars({ values }: { values: readonly number[] }) {
  const [ref, width] = useWidth<HTMLDivElement>(160);
  const shown = values.slice(-Math.floor(width / 3));
  const most = Math.max(1, ...shown);
  return (
    <div class="spark" ref={ref} aria-hidden="true">
      <svg width={width} height={height}>
        <path class="axis" d={`M0 ${height - 0.5}H${width}`} />
        {shown.map((value, i) => {
          const tall = (value / most) * (height - 2);
          const left = width - (shown.length - i) * 3;
          return value > 0 && <rect key={left} x={left} y={height - 1 - tall} width="2" height={tall} rx="1" />;
        })}
      </svg>
    </div>
  );
}
