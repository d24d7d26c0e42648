import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";

/** The available sign-in methods. */
export const signInQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: () => dataOf(api.GET("/api/v1/sign-in")),
});
