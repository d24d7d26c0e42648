import type { Query, QueryClient } from "@tanstack/react-query";
import type { Schemas, Task } from "~/api/client";
import { keys } from "~/api/queries";
import { link } from "./link";

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
const MAY_BE_OLD = [["task"], ["task-history"], keys.builds, keys.tasks, keys.overview];
const LISTS_AT_MOST_EVERY = 1_000;

/** Keep what the pages have fetched true to what the event stream says. */
export function keepFresh(queries: QueryClient): void {
  const refreshLists = atMostEvery(LISTS_AT_MOST_EVERY, () => {
    for (const key of [keys.tasks, keys.overview]) renew(queries, key);
  });
  const refreshImages = atMostEvery(LISTS_AT_MOST_EVERY, () => {
    for (const key of [keys.images, keys.builds]) renew(queries, key);
  });
  link.onEvent((event) => {
    if (event.type === "task") {
      queries.setQueryData<Task>(keys.task(event.data.id), (kept) => newer(kept, event.data));
      askAgainOnceAnswered(queries, keys.task(event.data.id), isUnderWay);
      renew(queries, keys.history(event.data.id));
      renew(queries, keys.build(event.data.id));
      refreshLists();
    }
    if (event.type === "image") refreshImages();
    if (event.type === "endpoint") {
      renew(queries, keys.endpoints);
      refreshLists();
    }
    if (event.type === "notification") renew(queries, keys.notifications);
    if (event.type === "changed") {
      for (const key of CHANGED[event.data.what] ?? []) renew(queries, key);
    }
  });
  link.onLink((state, reconnected) => {
    if (reconnected) queries.invalidateQueries();
    else if (state === "online") for (const key of MAY_BE_OLD) renew(queries, key);
  });
}

function renew(queries: QueryClient, queryKey: string[]): void {
  askAgainOnceAnswered(queries, queryKey, isFirst);
  queries.invalidateQueries({ queryKey });
}

/** An answer under way may be older than the event; it would stand until the next one. */
function askAgainOnceAnswered(
  queries: QueryClient,
  queryKey: string[],
  predicate: (query: Query) => boolean,
): void {
  for (const query of queries.getQueryCache().findAll({ queryKey, predicate })) {
    const again = () => queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
    query.promise?.then(again, () => undefined);
  }
}

const isUnderWay = (query: Query) => query.state.fetchStatus === "fetching";

/** Others are asked for anew at once, and what is under way is dropped. */
const isFirst = (query: Query) => isUnderWay(query) && query.state.data === undefined;

/** An answer under way may be older than an event that overtook it. A task nobody looks at is not kept. */
function newer(kept: Task | undefined, said: Task): Task | undefined {
  return kept && kept.version <= said.version ? said : kept;
}

function atMostEvery(milliseconds: number, act: () => void): () => void {
  let waiting = false;
  let last = 0;
  return () => {
    if (waiting) return;
    waiting = true;
    const wait = Math.max(0, last + milliseconds - Date.now());
    setTimeout(() => {
      waiting = false;
      last = Date.now();
      act();
    }, wait);
  };
}
