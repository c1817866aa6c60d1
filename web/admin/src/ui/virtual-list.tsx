import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { scrollFor, windowOf, type Window } from "./window";

const margin = 6;

interface VirtualListProps {
  count: number;
  rowHeight: number;
  /** Draws a row: an element of class `row`, with `place` and `top` from its argument. */
  row(place: number, top: string): ComponentChildren;
  /** A row that stays drawn though it is out of sight: the one with the focus. */
  pinned?: number | undefined;
  /** A row to bring into sight; a new object brings it again. */
  target?: { place: number } | undefined;
  onWindow?(window: Window): void;
  onScroll?(scrollTop: number): void;
  /** What stays above the rows, and its height in CSS pixels. */
  head?: ComponentChildren;
  headHeight?: number;
}

/** A list of any length, of which only what is in sight is drawn. It fills its parent and scrolls inside. */
export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, row, pinned, target, onWindow, onScroll, head, headHeight = 0 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(600);
  const [scrollTop, setScrollTop] = useState(0);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight));
    sizes.observe(element);
    setHeight(element.clientHeight);
    return () => sizes.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element && target)
      element.scrollTop = scrollFor(target.place, element.scrollTop, element.clientHeight - headHeight, rowHeight);
  }, [target]);

  const drawn = windowOf(scrollTop, height, rowHeight, count, margin);
  const inSight = windowOf(scrollTop, height + rowHeight, rowHeight, count, 0);
  useEffect(() => onWindow?.(inSight), [inSight.from, inSight.to, count]);

  const scrolled = (event: Event) => {
    const element = event.currentTarget;
    if (!(element instanceof HTMLElement)) return;
    const now = element.scrollTop;
    onScroll?.(now);
    // Only whole rows matter: a scroll within one draws nothing.
    setScrollTop(Math.floor(now / rowHeight) * rowHeight);
  };

  const places: number[] = [];
  if (pinned !== undefined && pinned < drawn.from) places.push(pinned);
  for (let place = drawn.from; place < drawn.to; place++) places.push(place);
  if (pinned !== undefined && pinned >= drawn.to && pinned < count) places.push(pinned);

  return (
    <div class="scroller" ref={box} onScroll={scrolled} role="presentation">
      {head}
      <div class="rows" style={{ height: `${count * rowHeight}px` }} role="rowgroup">
        {places.map((place) => row(place, `translateY(${place * rowHeight}px)`))}
      </div>
    </div>
  );
}
