/** What the address of this page may carry. */
export type TaskSearch = Record<string, never>;

export function taskSearch(): TaskSearch {
  return {};
}
