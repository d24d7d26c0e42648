import type { QueryClient } from "@tanstack/react-query";
import { taskQuery } from "~/api/queries";
import { fetchTab } from "./loaders";
import { allCurvesQuery, idsOf } from "./metrics/queries";
import type { TaskSearch } from "./search";

/** Ask for what the page will show while its code is still on the way. */
export function fetchTask(queries: QueryClient, task: string, search: TaskSearch): void {
  fetchTab(search.tab);
  void queries.prefetchQuery(taskQuery(task));
  if (search.tab === "metrics" && search.together) {
    void queries.prefetchQuery(allCurvesQuery(idsOf(task, search.compare)));
  }
}
