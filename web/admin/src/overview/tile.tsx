import type { ComponentChildren } from "preact";

/** A number with a name. */
export function Tile({
  title,
  figure,
  unit,
  note,
  crossed = false,
  testId,
  children,
}: {
  title: string;
  figure: string;
  unit?: string;
  note?: string;
  crossed?: boolean;
  testId: string;
  children?: ComponentChildren;
}) {
  return (
    <section class={crossed ? "card tile crossed" : "card tile"} data-testid={testId} aria-label={title}>
      <h2 class="quiet">{title}</h2>
      <p class="figure">
        {figure}
        {unit && <span class="unit">{unit}</span>}
      </p>
      {children}
      {note && <p class="note">{note}</p>}
    </section>
  );
}
