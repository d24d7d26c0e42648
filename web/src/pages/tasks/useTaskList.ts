import { useEffect, useSyncExternalStore } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { useHearing } from "~/live/hooks";
import { link } from "~/live/link";
import { type ListState, type Row, TaskList } from "./list";
import { statesOf, type TasksSearch } from "./search";

type Kept = { key: string; list: TaskList; stop: () => void; scrolled: number };

/** The newest list lives on while another page is shown: going back finds it as it was left. */
let kept: Kept | undefined;

export function useTaskList(search: TasksSearch): { list: TaskList; state: ListState; kept: Kept } {
  const key = JSON.stringify(search);
  const held = keptFor(key, search);
  const state = useSyncExternalStore(held.list.subscribe, held.list.snapshot);
  useEffect(() => {
    if (held.scrolled === 0) void held.list.refresh();
  }, [held]);
  useHearing((reconnected) => {
    if (held.scrolled === 0) void held.list.refresh();
    else if (reconnected) held.list.markOutdated();
  });
  return { list: held.list, state, kept: held };
}

function keptFor(key: string, search: TasksSearch): Kept {
  if (kept?.key === key) return kept;
  const former = kept?.list.snapshot().rows;
  kept?.stop();
  const list = new TaskList(asker(search), placeRule(search), former);
  const stop = link.onEvent((event) => event.type === "task" && list.hear(event.data));
  kept = { key, list, stop, scrolled: 0 };
  return kept;
}

export function filtersOf(search: TasksSearch) {
  const since = search.days && Math.floor(Date.now() / 60_000) * 60 - search.days * 86_400;
  const { endpoint, kind, search: words } = search;
  return { endpoint, kind, search: words, since };
}

function asker(search: TasksSearch) {
  const query = { ...filtersOf(search), state: statesOf(search), sort: search.sort };
  return (cursor: string | null, limit: number) =>
    dataOf(api.GET("/api/v1/tasks", { params: { query: { ...query, cursor, limit } } }));
}

/** Whether a change of a task may bring other rows, or the same in another order. */
function placeRule(search: TasksSearch) {
  const byState = statesOf(search).length > 0;
  const byChange = /updated|ended/.test(search.sort ?? "");
  return (before: Row | undefined, task: Task, newest: number): boolean =>
    byChange ||
    (before ? byState && before.state !== task.state : byState || task.created > newest);
}
