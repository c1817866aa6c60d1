const start = performance.now();

/**
 * Prints one line: seconds since the start, who, and what happened to them.
 *
 * @param {string} who "walk" for the story itself
 * @param {string} what
 */
export function say(who, what) {
  const seconds = ((performance.now() - start) / 1000).toFixed(2).padStart(6);
  console.log(who === "walk" ? `${seconds}  ${what}` : `${seconds}       ${who.padEnd(22)} ${what}`);
}
