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
