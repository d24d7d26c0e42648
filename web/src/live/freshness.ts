import type { QueryClient } from "@tanstack/react-query";
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
};
const LISTS_AT_MOST_EVERY = 1_000;

/** Keep what the pages have fetched true to what the event stream says. */
export function keepFresh(queries: QueryClient): void {
  const refreshLists = atMostEvery(LISTS_AT_MOST_EVERY, () => {
    for (const key of [keys.tasks, keys.overview]) queries.invalidateQueries({ queryKey: key });
  });
  const refreshImages = atMostEvery(LISTS_AT_MOST_EVERY, () => {
    queries.invalidateQueries({ queryKey: keys.images });
  });
  link.onEvent((event) => {
    if (event.type === "task") {
      queries.setQueryData<Task>(keys.task(event.data.id), (kept) => newer(kept, event.data));
      queries.invalidateQueries({ queryKey: keys.history(event.data.id) });
      queries.invalidateQueries({ queryKey: keys.build(event.data.id) });
      refreshLists();
    }
    if (event.type === "image") refreshImages();
    if (event.type === "endpoint") {
      queries.invalidateQueries({ queryKey: keys.endpoints });
      refreshLists();
    }
    if (event.type === "notification") queries.invalidateQueries({ queryKey: keys.notifications });
    if (event.type === "changed") {
      for (const key of CHANGED[event.data.what] ?? [])
        queries.invalidateQueries({ queryKey: key });
    }
  });
  link.onLink((_, reconnected) => reconnected && queries.invalidateQueries());
}

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
