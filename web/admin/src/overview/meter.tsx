import type { Gauge } from "../thresholds";

interface MeterProps {
  label: string;
  gauge: Gauge;
  /** What the full width stands for. */
  full: number;
  /** The value in words. */
  text: string;
}

/** A number on its way to its limit, which is a mark on the bar. */
export function Meter({ label, gauge, full, text }: MeterProps) {
  const share = (value: number) => `${Math.min(100, (value / full) * 100)}%`;
  return (
    <div
      class={gauge.crossed ? "meter crossed" : "meter"}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={full}
      aria-valuenow={Math.min(gauge.value, full)}
      aria-valuetext={text}
    >
      <span class="fill" style={{ width: share(gauge.value) }} />
      {gauge.limit !== null && <span class="limit" style={{ left: share(gauge.limit) }} />}
    </div>
  );
}
