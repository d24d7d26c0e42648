/** What the address of this page may carry. */
export type ProjectsSearch = { dialog?: "new" };

export function projectsSearch(search: Record<string, unknown>): ProjectsSearch {
  return search.dialog === "new" ? { dialog: "new" } : {};
}
