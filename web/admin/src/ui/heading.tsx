import type { ComponentChildren } from "preact";

/** A view's heading, to which the focus goes when the view is changed to. */
export function Heading({ children }: { children: ComponentChildren }) {
  return <h1 tabIndex={-1}>{children}</h1>;
}
