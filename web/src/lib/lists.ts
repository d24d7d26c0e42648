/** Copies of a list with one entry changed, removed or moved. */

export function withReplaced<T>(list: readonly T[], at: number, entry: T): T[] {
  return list.map((item, n) => (n === at ? entry : item));
}

export function withoutAt<T>(list: readonly T[], at: number): T[] {
  return list.filter((_, n) => n !== at);
}

/** Swaps the entry with its neighbour; at an end it stays. */
export function withMoved<T>(list: readonly T[], at: number, by: number): T[] {
  const to = at + by;
  if (to < 0 || to >= list.length) return [...list];
  const moved = [...list];
  [moved[at], moved[to]] = [moved[to] as T, moved[at] as T];
  return moved;
}
