/** What the address of this page may carry. */
export type TasksSearch = Record<string, never>;

export function tasksSearch(): TasksSearch {
  return {};
}
