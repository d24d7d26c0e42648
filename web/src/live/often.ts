/** A function that acts at most so often, and at last after the newest call. */
export function atMostEvery(milliseconds: number, act: () => void): () => void {
  let waiting = false;
  let last = 0;
  return () => {
    if (waiting) return;
    waiting = true;
    const wait = Math.max(0, last + milliseconds - Date.now());
    setTimeout(() => {
      waiting = false;
      last = Date.now();
      act();
    }, wait);
  };
}

/** The same for each name by itself. */
export function eachAtMostEvery(
  milliseconds: number,
  act: (name: string) => void,
): (name: string) => void {
  const each = new Map<string, () => void>();
  return (name) => {
    const one = each.get(name) ?? atMostEvery(milliseconds, () => act(name));
    each.set(name, one);
    one();
  };
}

/** A page is drawn first; what it may have missed before the stream was open is asked for a moment later. */
export const DRAWN_AFTER = 700;

/** A function that acts once it has not been called for a while. */
export function whenCalm(milliseconds: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
}
