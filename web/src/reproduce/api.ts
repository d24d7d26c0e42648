import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";

export type Verdict = Schemas["VerdictShown"];
export type Reproduction = Schemas["Reproduction"];

export const VERDICTS: Record<Verdict["level"], { label: string; color: string }> = {
  identical: { label: "Identical", color: "green" },
  "within-tolerance": { label: "Within tolerance", color: "teal" },
  different: { label: "Different", color: "red" },
  "not-reproducible": { label: "Not reproducible", color: "yellow" },
};

export const reproductionsQuery = (task: string) =>
  queryOptions({
    queryKey: ["reproductions", task],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks/{task}/reproductions", { params: { path: { task } } })),
    // A verdict follows a few seconds after the end of the second run.
    refetchInterval: ({ state }) => {
      const open = [...(state.data?.items ?? []), state.data?.reproduces];
      return open.some((each) => each && !each.verdict) ? 3000 : false;
    },
  });

export const whyQuery = (task: string, against: string) =>
  queryOptions({
    queryKey: ["why", task, against],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/tasks/{task}/verdict", { params: { path: { task }, query: { against } } }),
      ),
  });
