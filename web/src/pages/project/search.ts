export const PROJECT_TABS = ["work", "assignments", "everyone", "people", "use", "about"] as const;
export type ProjectTab = (typeof PROJECT_TABS)[number];
/** Without a tab: the assignments of a course, the tasks of any other project. */
export type ProjectSearch = { tab?: ProjectTab; dialog?: "add"; columns?: string };

export function projectSearch(search: Record<string, unknown>): ProjectSearch {
  const tab = PROJECT_TABS.find((tab) => tab === search.tab);
  return {
    ...(tab ? { tab } : {}),
    ...(search.dialog === "add" ? { dialog: "add" } : {}),
    ...(search.columns ? { columns: String(search.columns) } : {}),
  };
}
