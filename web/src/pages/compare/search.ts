import { textParameter } from "~/lib/search";

/** What the address of this page may carry: ids of runs, comma-separated. */
export type CompareRunsSearch = { runs?: string };

export function compareRunsSearch(given: Record<string, unknown>): CompareRunsSearch {
  return textParameter("runs", given.runs);
}

export function runsOf(search: CompareRunsSearch): string[] {
  return [...new Set(search.runs?.split(",").filter(Boolean) ?? [])].slice(0, 10);
}
