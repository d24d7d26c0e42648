import { useQuery } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { isMapping, valueAt } from "~/jobs/spec/draft";

/** The schema of a spec field: its choices and default. */
export function useSpecSchema(path: string): unknown {
  const { data } = useQuery({
    queryKey: ["spec-schema"],
    queryFn: () => dataOf(api.GET("/api/v1/spec/schema")),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return isMapping(data) ? valueAt(data, path) : undefined;
}

/** The allowed values of a field. */
export function useChoices(path: string): string[] {
  const known = useSpecSchema(`${path}.enum`);
  return Array.isArray(known) ? known.map(String) : [];
}
