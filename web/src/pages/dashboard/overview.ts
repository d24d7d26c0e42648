import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";

export const overviewQuery = queryOptions({
  queryKey: keys.overview,
  queryFn: () => dataOf(api.GET("/api/v1/overview")),
  refetchInterval: 60_000, // Availability changes without an event.
});
