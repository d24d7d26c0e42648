export const TABS = [
  "overview",
  "log",
  "metrics",
  "resources",
  "files",
  "code",
  "record",
  "history",
] as const;
export type Tab = (typeof TABS)[number];
export const STREAMS = ["stdout", "stderr", "both"] as const;
export const CODE_PARTS = ["spec", "script", "files", "diff"] as const;

/** What the address of this page may carry; each tab has its own part. */
export type TaskSearch = {
  tab?: Tab;
  /** Which log; by default the latest attempt and run, rank 0, output. */
  attempt?: string;
  run?: number;
  rank?: number;
  stream?: (typeof STREAMS)[number];
  /** A byte of the log; its line is shown and marked. */
  at?: number;
  find?: string;
  wrap?: boolean;
  /** Other tasks on the same charts, comma-separated. */
  compare?: string;
  smooth?: number;
  /** All metrics on one chart. */
  together?: boolean;
  log?: boolean;
  x?: "time";
  from?: number;
  to?: number;
  /** A folder or file of the run directory or the code. */
  path?: string;
  part?: (typeof CODE_PARTS)[number];
  /** Another task to compare with. */
  against?: string;
};

export function taskSearch(given: Record<string, unknown>): TaskSearch {
  return dropUnset({
    tab: oneOf(TABS, given.tab),
    attempt: textOf(given.attempt),
    run: number(given.run),
    rank: number(given.rank),
    stream: oneOf(STREAMS, given.stream),
    at: number(given.at),
    find: textOf(given.find),
    wrap: flag(given.wrap),
    compare: textOf(given.compare),
    smooth: number(given.smooth),
    together: flag(given.together),
    log: flag(given.log),
    x: given.x === "time" ? "time" : undefined,
    from: number(given.from),
    to: number(given.to),
    path: textOf(given.path),
    part: oneOf(CODE_PARTS, given.part),
    against: textOf(given.against),
  });
}

function dropUnset(search: TaskSearch): TaskSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T | undefined {
  return known.find((candidate) => candidate === value);
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return text || undefined;
}

function number(value: unknown): number | undefined {
  const read = typeof value === "string" && value ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

function flag(value: unknown): boolean | undefined {
  return value === true || value === "true" || value === 1 ? true : undefined;
}
