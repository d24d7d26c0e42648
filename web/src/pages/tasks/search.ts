/** What the address of this page may carry: every view is a link. */
export type TasksSearch = {
  /** States, comma-separated; default: all. */
  state?: string;
  endpoint?: string;
  search?: string;
  tag?: string;
  /** `others` or `all`; default: your own. */
  whose?: string;
  /** The id of a project: everyone's tasks in it. */
  project?: string;
  /** Extra columns, comma-separated. */
  columns?: string;
  /** Default: `run`. */
  kind?: string;
  /** How far back, in days. */
  days?: number;
  /** Default: `-created`. */
  sort?: string;
};

export const NEWEST_FIRST = "-created";

const KEYS = [
  "state",
  "endpoint",
  "search",
  "tag",
  "whose",
  "project",
  "columns",
  "kind",
  "sort",
] as const;

export function tasksSearch(given: Record<string, unknown>): TasksSearch {
  const search: TasksSearch = {};
  for (const key of KEYS) {
    const value = given[key];
    if (value !== undefined && value !== "") search[key] = String(value);
  }
  const days = Number(given.days);
  if (days > 0) search.days = days;
  return search;
}

export function statesOf(search: TasksSearch): string[] {
  return search.state?.split(",").filter(Boolean) ?? [];
}

/** The address with one state added or removed. */
export function toggleState(search: TasksSearch, state: string): TasksSearch {
  const now = statesOf(search);
  const next = now.includes(state)
    ? now.filter((candidate) => candidate !== state)
    : [...now, state];
  return { ...search, state: next.join(",") || undefined };
}

export function isFiltered(search: TasksSearch): boolean {
  const { sort: _, columns: __, ...filters } = search;
  return Object.values(filters).some((value) => value !== undefined);
}
