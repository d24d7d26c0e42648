/** Which rows are chosen: by id, so that a list that grows or is read anew loses none. */
export type Selection = ReadonlySet<string>;

/** With all rows between two places, in either direction. */
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

/** Where a key leads from a row, or null if it leads nowhere. */
export function stepped(key: string, at: number, page: number, count: number): number | null {
  const step = STEPS[key];
  if (!step || count === 0) return null;
  return Math.min(count - 1, Math.max(0, at + step(page, count)));
}
