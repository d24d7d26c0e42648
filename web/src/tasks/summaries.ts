import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Summary = Schemas["TaskSummary"];
export type MetricValues = Schemas["MetricValues"];
export type Progress = Schemas["Progress"];

/** Progress and the values of all metrics of one task; refetched as metrics arrive. */
export const summaryQuery = (task: string) =>
  queryOptions({
    queryKey: [...keys.metrics(task), "summary"],
    queryFn: async () => (await readSummaries([task], false))[0] ?? null,
  });

/** The same for several tasks, such as the visible rows of a table. */
export const summariesQuery = (tasks: string[]) =>
  queryOptions({
    queryKey: [...keys.tasks, "summaries", tasks],
    queryFn: () => readSummaries(tasks, false),
    placeholderData: keepPreviousData,
    enabled: tasks.length > 0,
  });

async function readSummaries(tasks: string[], sparks: boolean): Promise<Summary[]> {
  const query = { task: tasks, sparks };
  return (await dataOf(api.GET("/api/v1/metrics/summaries", { params: { query } }))).items;
}

/** The better of lowest and highest, where the service knows which is better. */
export function bestOf(values: MetricValues): { value: number; step?: number | null } | null {
  if (values.best === "min") return { value: values.min, step: values.min_step };
  if (values.best === "max") return { value: values.max, step: values.max_step };
  return null;
}
