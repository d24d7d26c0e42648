import type { QueryClient } from "@tanstack/react-query";
import { taskQuery } from "~/tasks/queries";
import { preloadTab } from "./loaders";
import { allCurvesQuery, comparedTasks } from "./metrics/queries";
import type { TaskSearch } from "./search";

/** Fetches the page's data while its code is loading. */
export function prefetchTask(queries: QueryClient, task: string, search: TaskSearch): void {
  preloadTab(search.tab);
  void queries.prefetchQuery(taskQuery(task));
  if (search.tab === "metrics" && search.together) {
    void queries.prefetchQuery(allCurvesQuery(comparedTasks(task, search.compare)));
  }
}
