export const TABS = ["general", "notifications", "account", "tokens", "storage"] as const;
export type Tab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type SettingsSearch = { tab?: Tab };

export function settingsSearch(search: Record<string, unknown>): SettingsSearch {
  const tab = TABS.find((tab) => tab === search.tab);
  return tab && tab !== "general" ? { tab } : {};
}
