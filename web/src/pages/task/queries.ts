import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchRaw } from "~/api/client";
import { keys } from "~/api/queryKeys";

const of = (task: string) => ({ params: { path: { task } } });

export const historyQuery = (task: string) =>
  queryOptions({
    queryKey: keys.history(task),
    queryFn: () => dataOf(api.GET("/api/v1/tasks/{task}/history", of(task))),
  });

export const recordQuery = (task: string) =>
  queryOptions({
    queryKey: [...keys.history(task), "record"],
    queryFn: () => dataOf(api.GET("/api/v1/tasks/{task}/record", of(task))),
  });

export const logsQuery = (task: string) =>
  queryOptions({
    queryKey: [...keys.logs(task), "streams"],
    queryFn: () => dataOf(api.GET("/api/v1/tasks/{task}/logs", of(task))),
  });

/** A text of a task that never changes: its script, its diff, a file of its code. */
export const textQuery = (task: string, what: string) =>
  queryOptions({
    queryKey: ["task-text", task, what],
    queryFn: async () => (await fetchRaw(`/api/v1/tasks/${task}/${what}`)).text(),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
