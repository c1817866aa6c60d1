/** The clock is read this often, in milliseconds, so that a sleep of the machine is noticed soon after it. */
const lookEvery = 5_000;

/**
 * Calls `ring` once `ms` milliseconds have passed by the clock, and returns what cancels that. A timer alone would
 * stand still while the machine sleeps, and a hidden page's are throttled. A clock that was set back rings at once:
 * nobody knows how much time has passed.
 */
export function after(ms: number, ring: () => void): () => void {
  const from = Date.now();
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number) => {
    timer = setTimeout(
      () => {
        const passed = Date.now() - from;
        if (passed >= ms || passed < 0) ring();
        else wait(ms - passed);
      },
      Math.min(left, lookEvery),
    );
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/**
 * How long to wait before the try after `failures` earlier ones, in milliseconds: full jitter over 2^failures
 * seconds, at most 30 s, on top of what the server asked for, so that not all come back at that moment.
 */
export const backoff = (failures: number, retryAfterMs = 0) =>
  retryAfterMs + Math.random() * Math.min(30, 2 ** failures) * 1_000;
