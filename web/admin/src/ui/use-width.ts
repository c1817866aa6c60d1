import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** An element's width in CSS pixels, for drawings that are not to be stretched. */
export function useWidth<E extends Element>(first: number) {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => sizes.disconnect();
  }, []);
  return [ref, width] as const;
}
