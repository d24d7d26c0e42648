import { useEffect, useSyncExternalStore } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { connection } from "~/live/connection";
import { useStreamOpened } from "~/live/hooks";
import { statesOf, type TasksSearch } from "./search";
import { type ListState, type Row, TaskList } from "./TaskList";

type StoredList = { key: string; list: TaskList; stop: () => void; scrolled: number };

/** The latest list is kept while another page is shown, so that going back finds it unchanged. */
let stored: StoredList | undefined;

export function useTaskList(search: TasksSearch): {
  list: TaskList;
  state: ListState;
  stored: StoredList;
} {
  const { columns: _, ...listed } = search;
  const key = JSON.stringify(listed);
  const current = storedListFor(key, search);
  const state = useSyncExternalStore(current.list.subscribe, current.list.snapshot);
  useEffect(() => {
    if (current.scrolled === 0) void current.list.refresh();
  }, [current]);
  useStreamOpened((reconnected) => {
    if (current.scrolled === 0) void current.list.refresh();
    else if (reconnected) current.list.markOutdated();
  });
  return { list: current.list, state, stored: current };
}

function storedListFor(key: string, search: TasksSearch): StoredList {
  if (stored?.key === key) return stored;
  const former = stored?.list.snapshot().rows;
  stored?.stop();
  const list = new TaskList(pageFetcher(search), orderRule(search), former);
  const stop = connection.onEvent((event) => event.type === "task" && list.applyEvent(event.data));
  stored = { key, list, stop, scrolled: 0 };
  return stored;
}

export function filtersOf(search: TasksSearch) {
  const since = search.days && Math.floor(Date.now() / 60_000) * 60 - search.days * 86_400;
  const { endpoint, kind, search: text, tag, project } = search;
  return { endpoint, kind, search: text, tag, project, whose: whoseOf(search), since };
}

export function whoseOf({ whose }: TasksSearch): "others" | "all" | undefined {
  return whose === "others" || whose === "all" ? whose : undefined;
}

function pageFetcher(search: TasksSearch) {
  const query = { ...filtersOf(search), state: statesOf(search), sort: search.sort };
  return (cursor: string | null, limit: number) =>
    dataOf(api.GET("/api/v1/tasks", { params: { query: { ...query, cursor, limit } } }));
}

/** Whether a changed task may change the rows or their order. */
function orderRule(search: TasksSearch) {
  const byState = statesOf(search).length > 0;
  const byChange = /updated|ended/.test(search.sort ?? "");
  return (before: Row | undefined, task: Task, newest: number): boolean =>
    byChange ||
    (before ? byState && before.state !== task.state : byState || task.created > newest);
}
