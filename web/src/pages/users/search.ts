/** What the address of this page may carry: `user` is the one whose details are open. */
export type UsersSearch = { search?: string; user?: string; dialog?: "invite" };

export function usersSearch(given: Record<string, unknown>): UsersSearch {
  return {
    ...(given.search ? { search: String(given.search) } : {}),
    ...(typeof given.user === "string" && given.user ? { user: given.user } : {}),
    ...(given.dialog === "invite" ? { dialog: "invite" } : {}),
  };
}
