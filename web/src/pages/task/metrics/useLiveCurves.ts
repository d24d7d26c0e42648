import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { link } from "~/live/link";
import type { MetricPoint } from "~/live/messages";
import { useEvery } from "../useEvery";
import { CURVES, NAMES, type Wanted } from "./queries";
import { type MetricSet, withLive } from "./set";

const DRAW_EVERY = 500;

/** Curves of these tasks go on while they are shown; those of a task that has ended need no watch. */
export function useLiveCurves(tasks: string[]): void {
  const queries = useQueryClient();
  const heard = useRef<{ task: string; points: MetricPoint[] }[]>([]);
  const draw = useEvery(DRAW_EVERY, () => {
    const live = heard.current;
    heard.current = [];
    for (const query of queries.getQueryCache().findAll({ queryKey: CURVES, type: "active" })) {
      const wanted = query.queryKey[1] as Wanted;
      const kept = query.state.data as MetricSet | undefined;
      if (wanted.usage || wanted.range || !kept) continue;
      const ours = live.filter(({ task }) => wanted.tasks.includes(task));
      const next = withLive(kept, ours, wanted.points);
      if (next) queries.setQueryData(query.queryKey, next);
      else void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
      if (!next) void queries.invalidateQueries({ queryKey: NAMES });
    }
  });
  const key = tasks.join();
  useEffect(() => {
    const watched = key ? key.split(",") : [];
    const unwatch = watched.map((task) => link.watch(task));
    const stop = link.onEvent((event) => {
      if (event.type !== "metric" || !watched.includes(event.data.task)) return;
      heard.current.push(event.data);
      draw();
    });
    return () => {
      stop();
      for (const end of unwatch) end();
    };
  }, [key, draw]);
}
