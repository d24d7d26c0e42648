import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { connection } from "~/live/connection";
import { useStreamOpened } from "~/live/hooks";
import { isFetching, refetch } from "~/live/refetch";
import { useThrottle } from "~/live/useThrottle";
import { hasAllNames, type LiveData, type MetricSet, type Names, withLive } from "./metricSet";
import { CURVES, type CurveRequest, NAMES } from "./queries";

const DRAW_INTERVAL = 500;
/** A response this recent was requested while opening this page. */
const RECENT_MS = 5_000;

/** Keeps the curves of these tasks up to date. Tasks that ended long ago need no updates. */
export function useLiveCurves(tasks: string[]): void {
  const queries = useQueryClient();
  const received = useRef<LiveData>([]);
  const draw = useThrottle(DRAW_INTERVAL, () => {
    const live = received.current;
    received.current = [];
    addLiveData(queries, live);
  });
  const key = tasks.join();
  const watched = key ? key.split(",") : [];
  useStreamOpened(() => refetchCurves(queries, watched));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the tasks
  useEffect(() => {
    refetchCurves(queries, watched, isOld);
    const unwatch = watched.map((task) => connection.watch(task));
    const stop = connection.onEvent((event) => {
      if (event.type !== "metric" || event.data.usage) return;
      if (!watched.includes(event.data.task)) return;
      received.current.push(event.data);
      draw();
    });
    return () => {
      stop();
      for (const end of unwatch) end();
    };
  }, [key, draw, queries]);
}

/** Adds live points; where that is impossible, or a pending response may lack them, refetches the curves. */
export function addLiveData(queries: QueryClient, live: LiveData): void {
  for (const query of queries.getQueryCache().findAll({ queryKey: CURVES })) {
    const request = query.queryKey[1] as CurveRequest;
    if (request.usage || request.range) continue;
    const cached = query.state.data as MetricSet | undefined;
    const ours = live.filter(({ task }) => request.tasks.includes(task));
    if (!ours.length) continue;
    const next = cached && withLive(cached, ours, request.points);
    if (next) queries.setQueryData(query.queryKey, next);
    if (!next || isFetching(query)) refetch(queries, query.queryKey);
  }
  for (const query of queries.getQueryCache().findAll({ queryKey: NAMES })) {
    const names = query.state.data as Names | undefined;
    const ours = live.filter(({ task }) => (query.queryKey[1] as string[]).includes(task));
    if (!names || !hasAllNames(names, ours)) refetch(queries, query.queryKey);
  }
}

/** Cached curves, or those fetched before the stream opened, may lack points. */
function refetchCurves(
  queries: QueryClient,
  tasks: string[],
  isIncluded: (query: Query) => boolean = () => true,
): void {
  const isOurs = (query: Query) => tasksOf(query).some((task) => tasks.includes(task));
  const predicate = (query: Query) => isOurs(query) && isIncluded(query);
  for (const queryKey of [CURVES, NAMES]) {
    const matching = queries.getQueryCache().findAll({ queryKey, predicate });
    for (const query of matching) refetch(queries, query.queryKey);
  }
}

function isOld(query: Query): boolean {
  return !isFetching(query) && Date.now() - query.state.dataUpdatedAt > RECENT_MS;
}

function tasksOf({ queryKey: [kind, of] }: Query): string[] {
  return kind === NAMES[0] ? (of as string[]) : (of as CurveRequest).tasks;
}
