import { textParameter } from "~/lib/search";

/** What the address of this page may carry. */
export type DatasetsSearch = { search?: string; shared?: boolean };

export function datasetsSearch(given: Record<string, unknown>): DatasetsSearch {
  return {
    ...textParameter("search", given.search),
    ...(given.shared === true || given.shared === "true" ? { shared: true } : {}),
  };
}
