const MAX_BYTES = 64_000;

/** A part of a log, with its byte range. */
export type LogPart = { text: string; start: number; end: number };

/** The step's output is complete. */
export function isComplete(part: LogPart | undefined, to: number | null | undefined): boolean {
  return part !== undefined && to != null && part.end >= to;
}

/**
 * Where to read the output of a step: all of it, or its last part.
 *
 * Without an end it is still being written: then the last bytes of the log, which may start
 * before the step does.
 */
export function lastPart(from: number, to: number | null): { offset: number; limit: number } {
  if (to === null) return { offset: -MAX_BYTES, limit: MAX_BYTES };
  const offset = Math.max(from, to - MAX_BYTES);
  return { offset, limit: Math.max(1, to - offset) };
}
