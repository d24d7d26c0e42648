import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";

/** The person who is signed in. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: () => dataOf(api.GET("/api/v1/me")),
  retry: false,
});
