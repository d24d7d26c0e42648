export const TABS = ["card", "versions", "history"] as const;
export type ModelTab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type ModelSearch = { tab?: ModelTab };

export function modelSearch(given: Record<string, unknown>): ModelSearch {
  const tab = TABS.find((tab) => tab === given.tab);
  return tab && tab !== "card" ? { tab } : {};
}
