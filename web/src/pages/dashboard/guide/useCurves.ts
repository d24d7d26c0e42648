import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { useTaskOutput } from "~/live/hooks";
import type { MetricPoint } from "~/live/messages";
import { mergePoints, type Point } from "./curve";

type Series = { name: string; points: (number | null)[][] };

/** A task's curves: stored points, and live points as they arrive. */
export function useCurves(task: Task): Record<string, Point[]> {
  const [live, setLive] = useState<Record<string, Point[]>>({});
  useTaskOutput(task.id, { onMetric: (points) => setLive((now) => mergePoints(now, points)) });
  const { data } = useQuery({
    queryKey: [...keys.metrics(task.id), "guide"],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/tasks/{task}/metrics", {
          params: { path: { task: task.id }, query: { points: 200 } },
        }),
      ),
  });
  return useMemo(() => mergePoints(live, storedPoints(data?.items ?? [])), [live, data]);
}

function storedPoints(series: Series[]): Pick<MetricPoint, "name" | "step" | "value">[] {
  return series.flatMap(({ name, points }) =>
    points.map(([step, , value]) => ({ name, step: step ?? 0, value: value ?? null })),
  );
}
