import { textParameter } from "~/lib/search";

/** What the address of this page may carry. */
export type CompareSearch = { a?: string; b?: string };

export function compareSearch(given: Record<string, unknown>): CompareSearch {
  return { ...textParameter("a", given.a), ...textParameter("b", given.b) };
}
