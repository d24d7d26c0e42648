export const USERS_TABS = ["people", "use", "limits", "storage", "settings"] as const;
export type UsersTab = (typeof USERS_TABS)[number];
export type UsageBy = "person" | "project";

/** What the address of this page may carry: `user` is the account whose details are open. */
export type UsersSearch = {
  tab?: UsersTab;
  search?: string;
  user?: string;
  dialog?: "invite";
  by?: UsageBy;
  /** How far back usage is counted, in days. */
  days?: number;
};

export function usersSearch(given: Record<string, unknown>): UsersSearch {
  const tab = USERS_TABS.find((tab) => tab === given.tab);
  const days = Number(given.days);
  return {
    ...(tab && tab !== "people" ? { tab } : {}),
    ...(given.search ? { search: String(given.search) } : {}),
    ...(typeof given.user === "string" && given.user ? { user: given.user } : {}),
    ...(given.dialog === "invite" ? { dialog: "invite" } : {}),
    ...(given.by === "project" ? { by: "project" } : {}),
    ...(days > 0 ? { days } : {}),
  };
}
