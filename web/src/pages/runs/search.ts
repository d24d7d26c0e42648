import type { RunQuery } from "~/runs/api";

/** What the address of this page may carry: every view is a link. Lists are separated by a line feed. */
export type RunsSearch = {
  columns?: string;
  filters?: string;
  sort?: string;
  group?: string;
  project?: string;
};

const KEYS = ["columns", "filters", "sort", "group", "project"] as const;
export const DEFAULT_COLUMNS = ["name", "state", "endpoint", "created", "duration"];

export function runsSearch(given: Record<string, unknown>): RunsSearch {
  const search: RunsSearch = {};
  for (const key of KEYS) {
    const value = given[key];
    if (value !== undefined && value !== null && value !== "") search[key] = String(value);
  }
  return search;
}

/** Names of metrics may contain commas, not line feeds. */
export function listOf(text: string | undefined): string[] {
  return text ? text.split("\n").filter(Boolean) : [];
}

export function textOf(list: string[]): string | undefined {
  return list.join("\n") || undefined;
}

export function queryOf(search: RunsSearch): RunQuery {
  const columns = listOf(search.columns);
  return {
    column: columns.length ? columns : DEFAULT_COLUMNS,
    filter: listOf(search.filters),
    sort: listOf(search.sort),
    group: listOf(search.group),
    project: search.project ?? "",
  };
}

/** As a saved view keeps it, which `diamond runs --view` reads too. */
export function viewQueryOf(search: RunsSearch): Record<string, string[]> {
  const { column, filter, sort, group } = queryOf(search);
  const whole = { column, filter, sort, group };
  return Object.fromEntries(Object.entries(whole).filter(([, values]) => values.length));
}

export function searchOfView(query: Record<string, unknown>, project: string): RunsSearch {
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map(String) : value ? [String(value)] : [];
  return runsSearch({
    columns: textOf(list(query.column)),
    filters: textOf(list(query.filter)),
    sort: textOf(list(query.sort)),
    group: textOf(list(query.group)),
    project,
  });
}

/** Up, then down, then unsorted. */
export function nextSort(now: string[], column: string): string[] {
  if (now[0] === column) return [`-${column}`];
  if (now[0] === `-${column}`) return [];
  return [column];
}
