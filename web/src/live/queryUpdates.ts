import type { QueryClient } from "@tanstack/react-query";
import type { Schemas, Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { connection } from "./connection";
import type { LiveEvent } from "./messages";
import { refetch, refetchAfterPending } from "./refetch";
import { debounce, FIRST_PAINT_DELAY, throttle, throttleEach } from "./throttle";

/** Queries to refetch when another window has changed something. */
const CHANGED_KEYS: Record<Schemas["ChangedEvent"]["what"], string[][]> = {
  preferences: [keys.preferences],
  notifications: [keys.notificationSettings],
  read: [keys.notifications],
  tokens: [keys.tokens],
  endpoints: [keys.endpoints, keys.overview],
  overview: [keys.overview],
  announcements: [keys.announcements],
  models: [keys.models],
  data: [keys.datasets, keys.tasks],
  studies: [keys.studies],
  pipelines: [keys.pipelines],
  pilots: [keys.pilots],
};
/** What was fetched before the stream opened may have changed unnoticed. */
const MAYBE_STALE = [
  ["task"],
  ["task-history"],
  ["logs"],
  ["metrics"],
  keys.files,
  ["scale"],
  keys.studies,
  keys.builds,
  keys.tasks,
  keys.overview,
  keys.endpoints,
  keys.images,
  keys.models,
  keys.datasets,
  keys.pipelines,
  keys.pilots,
  keys.notifications,
  keys.announcements,
];
const LIST_INTERVAL = 1_000;
const OUTPUT_INTERVAL = 2_000;
const COMPOSITION_INTERVAL = 5_000;

/** Keeps cached queries up to date with the event stream. */
export function updateQueriesFromEvents(queries: QueryClient): void {
  const handle = eventHandler(queries);
  const refetchStale = debounce(FIRST_PAINT_DELAY, () => {
    for (const key of MAYBE_STALE) refetch(queries, key);
  });
  connection.onEvent(handle);
  connection.onConnection((state, reconnected) => {
    if (reconnected) refetch(queries, []);
    else if (state === "online") refetchStale();
  });
}

function eventHandler(queries: QueryClient): (event: LiveEvent) => void {
  const refetchAll = (...all: string[][]) => {
    for (const key of all) refetch(queries, key);
  };
  const lists = throttle(LIST_INTERVAL, () => refetchAll(keys.tasks, keys.overview));
  const pipelines = throttle(LIST_INTERVAL, () => refetchAll(keys.pipelines, keys.pilots));
  const images = throttle(LIST_INTERVAL, () => refetchAll(keys.images, keys.builds));
  const composition = throttle(COMPOSITION_INTERVAL, () => refetchAll(["compose"], keys.files));
  const logs = throttleEach(OUTPUT_INTERVAL, (task) => refetchAll(keys.logs(task)));
  const metrics = throttleEach(OUTPUT_INTERVAL, (task) => refetchAll(keys.metrics(task)));
  return (event) => {
    if (event.type === "task") {
      updateTask(queries, event.data);
      lists();
      pipelines();
    }
    if (event.type === "log") logs(event.data.task);
    if (event.type === "metric" && !event.data.usage) metrics(event.data.task);
    if (event.type === "note") refetchAll(keys.history(event.data.task));
    if (event.type === "image") images();
    if (event.type === "scale") refetchAll(keys.scale(event.data.id));
    if (event.type === "endpoint") {
      refetchAll(keys.endpoints);
      lists();
      composition();
    }
    if (event.type === "notification") refetchAll(keys.notifications);
    if (event.type === "changed") refetchAll(...(CHANGED_KEYS[event.data.what] ?? []));
  };
}

/** The event contains the task itself; everything that belongs to it is refetched. */
function updateTask(queries: QueryClient, task: Task): void {
  queries.setQueryData<Task>(keys.task(task.id), (cached) => newerTask(cached, task));
  refetchAfterPending(queries, keys.task(task.id));
  for (const key of [keys.history, keys.build]) refetch(queries, key(task.id));
  if (task.ended == null) return;
  for (const key of [keys.logs, keys.metrics]) refetch(queries, key(task.id));
  refetch(queries, [...keys.files, task.id]);
}

/** A pending response may be older than an event that overtook it. Tasks that are not cached stay so. */
function newerTask(cached: Task | undefined, received: Task): Task | undefined {
  return cached && cached.version <= received.version ? received : cached;
}
