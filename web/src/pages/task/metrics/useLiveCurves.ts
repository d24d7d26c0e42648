import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useHearing } from "~/live/hooks";
import { link } from "~/live/link";
import { isUnderWay, renew } from "~/live/renew";
import { useEvery } from "../useEvery";
import { CURVES, NAMES, type Wanted } from "./queries";
import { knowsNames, type Live, type MetricSet, type Names, withLive } from "./set";

const DRAW_EVERY = 500;
/** So young an answer was asked for on the way to this page. */
const JUST_ASKED = 5_000;

/** Curves of these tasks go on while they are shown; those of a task that ended long ago need no watch. */
export function useLiveCurves(tasks: string[]): void {
  const queries = useQueryClient();
  const heard = useRef<Live>([]);
  const draw = useEvery(DRAW_EVERY, () => {
    const live = heard.current;
    heard.current = [];
    drawOn(queries, live);
  });
  const key = tasks.join();
  const watched = key ? key.split(",") : [];
  useHearing(() => renewCurves(queries, watched));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the tasks
  useEffect(() => {
    renewCurves(queries, watched, isOfAnEarlierLook);
    const unwatch = watched.map((task) => link.watch(task));
    const stop = link.onEvent((event) => {
      if (event.type !== "metric" || event.data.usage) return;
      if (!watched.includes(event.data.task)) return;
      heard.current.push(event.data);
      draw();
    });
    return () => {
      stop();
      for (const end of unwatch) end();
    };
  }, [key, draw, queries]);
}

/** Draw what was heard; where that cannot be, or an answer under way may lack it, the curves are asked for again. */
export function drawOn(queries: QueryClient, live: Live): void {
  for (const query of queries.getQueryCache().findAll({ queryKey: CURVES })) {
    const wanted = query.queryKey[1] as Wanted;
    if (wanted.usage || wanted.range) continue;
    const kept = query.state.data as MetricSet | undefined;
    const ours = live.filter(({ task }) => wanted.tasks.includes(task));
    if (!ours.length) continue;
    const next = kept && withLive(kept, ours, wanted.points);
    if (next) queries.setQueryData(query.queryKey, next);
    if (!next || isUnderWay(query)) renew(queries, query.queryKey);
  }
  for (const query of queries.getQueryCache().findAll({ queryKey: NAMES })) {
    const names = query.state.data as Names | undefined;
    const ours = live.filter(({ task }) => (query.queryKey[1] as string[]).includes(task));
    if (!names || !knowsNames(names, ours)) renew(queries, query.queryKey);
  }
}

/** What was kept from an earlier look, or asked for before the stream was open, may lack points. */
function renewCurves(
  queries: QueryClient,
  tasks: string[],
  isMeant: (query: Query) => boolean = () => true,
): void {
  const isOurs = (query: Query) => tasksOf(query).some((task) => tasks.includes(task));
  const predicate = (query: Query) => isOurs(query) && isMeant(query);
  for (const queryKey of [CURVES, NAMES]) {
    const found = queries.getQueryCache().findAll({ queryKey, predicate });
    for (const query of found) renew(queries, query.queryKey);
  }
}

function isOfAnEarlierLook(query: Query): boolean {
  return !isUnderWay(query) && Date.now() - query.state.dataUpdatedAt > JUST_ASKED;
}

function tasksOf({ queryKey: [kind, of] }: Query): string[] {
  return kind === NAMES[0] ? (of as string[]) : (of as Wanted).tasks;
}
