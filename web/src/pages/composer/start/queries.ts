import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";

export const recipesQuery = queryOptions({
  queryKey: ["recipes"],
  queryFn: () => dataOf(api.GET("/api/v1/recipes")),
  staleTime: Number.POSITIVE_INFINITY,
});

export const recipeQuery = (name: string) =>
  queryOptions({
    queryKey: ["recipes", name],
    queryFn: () => dataOf(api.GET("/api/v1/recipes/{name}", { params: { path: { name } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const earlierTasksQuery = (search: string) =>
  queryOptions({
    queryKey: [...keys.tasks, "earlier", search],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/tasks", {
          params: { query: { limit: 20, ...(search ? { search } : {}) } },
        }),
      ),
  });
