// @vitest-environment happy-dom
import { h, render } from "preact";
import { useRef } from "preact/hooks";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useReading } from "../src/list/use-reading";

let page: HTMLElement;
let reading = false;
let scrolled: (away: boolean) => void;

function Box() {
  const box = useRef<HTMLDivElement>(null);
  ({ scrolled } = useReading(box, (now) => (reading = now)));
  return h("div", { ref: box }, h("a", { href: "#" }));
}

beforeEach(() => {
  page = document.body.appendChild(document.createElement("main"));
  act(() => render(h(Box, {}), page));
});
afterEach(() => {
  act(() => render(null, page));
  page.remove();
});

const box = () => page.firstElementChild;
const happens = (type: string, on = box()) => on?.dispatchEvent(new Event(type, { bubbles: true }));

test("a pointer that moves in the list reads it, also one that was there before the list", () => {
  expect(reading).toBe(false);
  happens("pointermove", box()?.firstElementChild);
  expect(reading).toBe(true);
  happens("pointerleave");
  expect(reading).toBe(false);
});

test("a finger reads it as long as it is down", () => {
  happens("pointerdown", box()?.firstElementChild);
  expect(reading).toBe(true);
  happens("pointerleave");
  expect(reading).toBe(false);
});

test("who has scrolled reads it, wherever the pointer is", () => {
  scrolled(true);
  happens("pointermove");
  happens("pointerleave");
  expect(reading).toBe(true);
  scrolled(false);
  expect(reading).toBe(false);
});

test("the focus in it reads it, and a list that is no longer shown is not read", () => {
  happens("focusin", box()?.firstElementChild);
  expect(reading).toBe(true);
  act(() => render(null, page));
  expect(reading).toBe(false);
});
