/** Selected rows by id, so that the selection survives reloading. */
export type Selection = ReadonlySet<string>;

/** Adds all rows between two positions. */
export function withRange(
  chosen: Selection,
  rows: readonly { id: string }[],
  from: number,
  to: number,
): Selection {
  const [first, last] = from < to ? [from, to] : [to, from];
  return new Set([...chosen, ...rows.slice(first, last + 1).map((row) => row.id)]);
}

const STEPS: Record<string, (page: number, count: number) => number> = {
  ArrowDown: () => 1,
  ArrowUp: () => -1,
  PageDown: (page) => page,
  PageUp: (page) => -page,
  Home: (_, count) => -count,
  End: (_, count) => count,
};

/** The row a key leads to, or null. */
export function stepped(key: string, at: number, page: number, count: number): number | null {
  const step = STEPS[key];
  if (!step || count === 0) return null;
  return Math.min(count - 1, Math.max(0, at + step(page, count)));
}
