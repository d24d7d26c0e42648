import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";

/** The tags of the newest tasks, the most used first. */
export const tagsQuery = queryOptions({
  queryKey: [...keys.tasks, "tags"],
  queryFn: () => dataOf(api.GET("/api/v1/tasks/tags")),
});
