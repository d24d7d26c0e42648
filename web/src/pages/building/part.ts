const AT_MOST = 64_000;

/** Some of a log: from which byte to which, as it was read. */
export type Part = { text: string; start: number; end: number };

/** Nothing more will come of a step whose words are here up to its end. */
export function isWhole(part: Part | undefined, to: number | null | undefined): boolean {
  return part !== undefined && to != null && part.end >= to;
}

/**
 * Where to read the words of a step: all of them, or the last part of many.
 *
 * Without an end they are being written: the last bytes of the log then, of which the step's begin
 * somewhere within, or before.
 */
export function lastPart(from: number, to: number | null): { offset: number; limit: number } {
  if (to === null) return { offset: -AT_MOST, limit: AT_MOST };
  const offset = Math.max(from, to - AT_MOST);
  return { offset, limit: Math.max(1, to - offset) };
}
