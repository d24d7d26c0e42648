import { useQuery } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { isMapping, valueAt } from "~/jobs/spec/draft";

/** What the service says of a field in the schema of the spec: its choices, its default. */
export function useSpecSchema(path: string): unknown {
  const { data } = useQuery({
    queryKey: ["spec-schema"],
    queryFn: () => dataOf(api.GET("/api/v1/spec/schema")),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return isMapping(data) ? valueAt(data, path) : undefined;
}

/** The values that a field may have. */
export function useChoices(path: string): string[] {
  const known = useSpecSchema(`${path}.enum`);
  return Array.isArray(known) ? known.map(String) : [];
}
