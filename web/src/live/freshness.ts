import type { QueryClient } from "@tanstack/react-query";
import type { Schemas, Task } from "~/api/client";
import { keys } from "~/api/queries";
import { link } from "./link";
import type { LiveEvent } from "./messages";
import { atMostEvery, DRAWN_AFTER, eachAtMostEvery, whenCalm } from "./often";
import { renew, renewAnswersUnderWay } from "./renew";

/** What to ask for again when another window has changed it. */
const CHANGED: Record<Schemas["ChangedEvent"]["what"], string[][]> = {
  preferences: [keys.preferences],
  notifications: [keys.notificationSettings],
  read: [keys.notifications],
  tokens: [keys.tokens],
  endpoints: [keys.endpoints, keys.overview],
  overview: [keys.overview],
  announcements: [keys.announcements],
};
/** What a page asked for before the stream was open may have changed unheard. */
const MAY_BE_OLD = [
  ["task"],
  ["task-history"],
  ["printed"],
  ["measured"],
  keys.files,
  ["scale"],
  keys.builds,
  keys.tasks,
  keys.overview,
  keys.endpoints,
  keys.images,
  keys.notifications,
  keys.announcements,
];
const LISTS_AT_MOST_EVERY = 1_000;
const OUTPUT_AT_MOST_EVERY = 2_000;
const JUDGED_AT_MOST_EVERY = 5_000;

/** Keep what the pages have fetched true to what the event stream says. */
export function keepFresh(queries: QueryClient): void {
  const hear = hearer(queries);
  const lookAgain = whenCalm(DRAWN_AFTER, () => {
    for (const key of MAY_BE_OLD) renew(queries, key);
  });
  link.onEvent(hear);
  link.onLink((state, reconnected) => {
    if (reconnected) renew(queries, []);
    else if (state === "online") lookAgain();
  });
}

function hearer(queries: QueryClient): (event: LiveEvent) => void {
  const renewAll = (...all: string[][]) => {
    for (const key of all) renew(queries, key);
  };
  const lists = atMostEvery(LISTS_AT_MOST_EVERY, () => renewAll(keys.tasks, keys.overview));
  const images = atMostEvery(LISTS_AT_MOST_EVERY, () => renewAll(keys.images, keys.builds));
  const judged = atMostEvery(JUDGED_AT_MOST_EVERY, () => renewAll(["compose"], keys.files));
  const printed = eachAtMostEvery(OUTPUT_AT_MOST_EVERY, (task) => renewAll(keys.printed(task)));
  const measured = eachAtMostEvery(OUTPUT_AT_MOST_EVERY, (task) => renewAll(keys.measured(task)));
  return (event) => {
    if (event.type === "task") {
      takeTask(queries, event.data);
      lists();
    }
    if (event.type === "log") printed(event.data.task);
    if (event.type === "metric" && !event.data.usage) measured(event.data.task);
    if (event.type === "note") renewAll(keys.history(event.data.task));
    if (event.type === "image") images();
    if (event.type === "scale") renewAll(keys.scale(event.data.id));
    if (event.type === "endpoint") {
      renewAll(keys.endpoints);
      lists();
      judged();
    }
    if (event.type === "notification") renewAll(keys.notifications);
    if (event.type === "changed") renewAll(...(CHANGED[event.data.what] ?? []));
  };
}

/** The task itself is in the event; what belongs to it is asked for. */
function takeTask(queries: QueryClient, task: Task): void {
  queries.setQueryData<Task>(keys.task(task.id), (kept) => newer(kept, task));
  renewAnswersUnderWay(queries, keys.task(task.id));
  for (const key of [keys.history, keys.build]) renew(queries, key(task.id));
  if (task.ended == null) return;
  for (const key of [keys.printed, keys.measured]) renew(queries, key(task.id));
  renew(queries, [...keys.files, task.id]);
}

/** An answer under way may be older than an event that overtook it. A task nobody looks at is not kept. */
function newer(kept: Task | undefined, said: Task): Task | undefined {
  return kept && kept.version <= said.version ? said : kept;
}
