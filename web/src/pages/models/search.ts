import { textParameter } from "~/lib/search";

/** What the address of this page may carry. */
export type ModelsSearch = { search?: string };

export function modelsSearch(given: Record<string, unknown>): ModelsSearch {
  return textParameter("search", given.search);
}
