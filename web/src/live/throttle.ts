/** Calls `run` at most once per interval, and once more after the latest call. */
export function throttle(milliseconds: number, run: () => void): () => void {
  let waiting = false;
  let last = 0;
  return () => {
    if (waiting) return;
    waiting = true;
    const wait = Math.max(0, last + milliseconds - Date.now());
    setTimeout(() => {
      waiting = false;
      last = Date.now();
      run();
    }, wait);
  };
}

/** Like `throttle`, separately for each name. */
export function throttleEach(
  milliseconds: number,
  run: (name: string) => void,
): (name: string) => void {
  const byName = new Map<string, () => void>();
  return (name) => {
    const throttled = byName.get(name) ?? throttle(milliseconds, () => run(name));
    byName.set(name, throttled);
    throttled();
  };
}

/** The page renders first; what it may have missed before the stream opened is fetched a moment later. */
export const FIRST_PAINT_DELAY = 700;

/** Calls `run` once it has not been called for a while. */
export function debounce(milliseconds: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
}
