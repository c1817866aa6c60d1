import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Whether a view has been shown before: the first one does not take the focus from the start of the page. */
let shown = false;

/** A view's heading. It takes the focus when the view is changed to, so that a screen reader reads on from there. */
export function Heading({ children }: { children: ComponentChildren }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shown) ref.current?.focus({ preventScroll: true });
    shown = true;
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1}>
      {children}
    </h1>
  );
}
