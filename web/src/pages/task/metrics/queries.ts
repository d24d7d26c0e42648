import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import type { Range } from "~/charts/curves";
import type { MetricSet } from "./metricSet";

export type CurveRequest = {
  tasks: string[];
  /** Empty means all. */
  names: string[];
  points: number;
  range: Range | null;
  usage?: boolean;
};

/** About two points per pixel, rounded so that a slightly wider window requests nothing new. */
export function pointsFor(width: number): number {
  return Math.min(4_000, Math.max(200, Math.ceil((2 * width) / 400) * 400));
}

/** A chart of all curves is as wide as the page, so it need not be measured first. */
export function allCurvesQuery(tasks: string[]) {
  const points = pointsFor(window.innerWidth) / 2;
  return curvesQuery({ tasks, names: [], points, range: null });
}

/** The task itself comes first. */
export function comparedTasks(task: string, compare = ""): string[] {
  return [...new Set([task, ...compare.split(",").filter(Boolean)])];
}

export const CURVES = ["curves"];
export const NAMES = ["curve-names"];

export const curvesQuery = (request: CurveRequest) =>
  queryOptions({
    queryKey: [...CURVES, request],
    queryFn: () => readCurves(request),
    // Zooming in shows the coarse curve until the finer one arrives.
    placeholderData: keepPreviousData,
    // Comparing tens of thousands of points one by one is too slow.
    structuralSharing: false,
    staleTime: 60_000,
  });

/** The metrics these tasks have. */
export const namesQuery = (tasks: string[]) =>
  queryOptions({
    queryKey: [...NAMES, tasks],
    queryFn: async () => {
      const request = { tasks, names: [], points: 2, range: null };
      return (await readCurves(request)).names;
    },
    placeholderData: keepPreviousData,
  });

async function readCurves({
  tasks,
  names,
  points,
  range,
  usage,
}: CurveRequest): Promise<MetricSet> {
  const query = {
    task: tasks,
    name: names,
    points,
    from_step: range?.from,
    to_step: range?.to,
    usage,
  };
  const set = await dataOf(api.GET("/api/v1/metrics", { params: { query } }));
  return set as unknown as MetricSet; // A triple is a list to the client.
}
