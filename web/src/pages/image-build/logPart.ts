const MAX_BYTES = 64_000;

/** Some of a log: from which byte to which, as it was read. */
export type LogPart = { text: string; start: number; end: number };

/** Nothing more will come of a step whose words are here up to its end. */
export function isComplete(part: LogPart | undefined, to: number | null | undefined): boolean {
  return part !== undefined && to != null && part.end >= to;
}

/**
 * Where to read the words of a step: all of them, or the last part of many.
 *
 * Without an end they are being written: the last bytes of the log then, of which the step's begin
 * somewhere within, or before.
 */
export function lastPart(from: number, to: number | null): { offset: number; limit: number } {
  if (to === null) return { offset: -MAX_BYTES, limit: MAX_BYTES };
  const offset = Math.max(from, to - MAX_BYTES);
  return { offset, limit: Math.max(1, to - offset) };
}
