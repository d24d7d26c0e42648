export const TABS = ["overview", "files", "places", "uses"] as const;
export type DatasetTab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type DatasetSearch = { tab?: DatasetTab };

export function datasetSearch(given: Record<string, unknown>): DatasetSearch {
  const tab = TABS.find((tab) => tab === given.tab);
  return tab && tab !== "overview" ? { tab } : {};
}
