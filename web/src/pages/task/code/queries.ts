import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";

export const listingQuery = (task: string) =>
  queryOptions({
    queryKey: ["task-code", task],
    queryFn: () => dataOf(api.GET("/api/v1/tasks/{task}/code", { params: { path: { task } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
