import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: keys.task(id),
    queryFn: () => dataOf(api.GET("/api/v1/tasks/{task}", { params: { path: { task: id } } })),
  });
