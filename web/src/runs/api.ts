import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";

export type RunTable = Schemas["RunTable"];
export type RunRow = Schemas["RunRow"];
export type RunColumn = Schemas["RunColumn"];
export type Cell = RunRow["values"][number];
export type Comparison = Schemas["Comparison"];
export type Lineage = Schemas["Lineage"];

export type RunQuery = {
  column: string[];
  filter: string[];
  sort: string[];
  group: string[];
  project: string;
};

export const RUNS = ["runs"];

export const runsQuery = (query: RunQuery, limit: number) =>
  queryOptions({
    queryKey: [...RUNS, query, limit],
    queryFn: () => dataOf(api.GET("/api/v1/runs", { params: { query: { ...query, limit } } })),
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });

export const columnNamesQuery = (project: string) =>
  queryOptions({
    queryKey: [...RUNS, "columns", project],
    queryFn: () => dataOf(api.GET("/api/v1/runs/columns", { params: { query: { project } } })),
    staleTime: 30_000,
  });

export const comparisonQuery = (runs: string[]) =>
  queryOptions({
    queryKey: [...RUNS, "compare", runs],
    queryFn: () => dataOf(api.GET("/api/v1/runs/compare", { params: { query: { run: runs } } })),
    enabled: runs.length > 1,
  });

export const lineageQuery = (of: string, direction: "both" | "backward" | "forward") =>
  queryOptions({
    queryKey: ["lineage", of, direction],
    queryFn: () => dataOf(api.GET("/api/v1/lineage", { params: { query: { of, direction } } })),
    enabled: of !== "",
  });

/** All rows as a file. */
export function exportAddress({ column, filter, sort, project }: RunQuery): string {
  const words = new URLSearchParams();
  for (const [name, values] of Object.entries({ column, filter, sort })) {
    for (const value of values) words.append(name, value);
  }
  if (project) words.set("project", project);
  return `/api/v1/runs/export?${words}`;
}
