import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";

export const endpointsQuery = queryOptions({
  queryKey: keys.endpoints,
  queryFn: () => dataOf(api.GET("/api/v1/endpoints")),
});

export const endpointQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.endpoints, name],
    queryFn: () => dataOf(api.GET("/api/v1/endpoints/{name}", { params: { path: { name } } })),
  });
