import { api, dataOf, type Schemas } from "~/api/client";
import { freshKey } from "~/lib/key";
import type { TasksSearch } from "./search";
import { statesOf } from "./search";
import { filtersOf } from "./useTaskList";

type Outcome = Schemas["Outcome"];
export type Deed = "cancel" | "retry";
/** Tasks that were picked, or all that the view's filters find. */
export type Choice = { tasks: string[] } | { matching: Partial<Schemas["TaskMatch"]> };
/** What is left out is as the service has it. */
type Body = Partial<Omit<Schemas["TaskChoice"], "matching">> & Partial<{ matching: object }>;
/** What is known while it goes on: how many are done, and those that were refused. */
export type Progress = { done: number; refused: Outcome[]; shown: Outcome[] };

/** The most that the service takes in one call. */
const AT_ONCE = 500;
/** Of many that went well a few are named; those that did not are all kept. */
const SHOWN = 100;

export function matchingOf(search: TasksSearch): Choice {
  const states = statesOf(search) as Schemas["TaskMatch"]["state"];
  const filters = filtersOf(search);
  const said = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { matching: { ...Object.fromEntries(said), state: states } };
}

/** How many it would touch, and the same choice without what is asked for from now on. */
export async function lookAhead(
  deed: Deed,
  choice: Choice,
): Promise<{ many: number; choice: Choice }> {
  if ("tasks" in choice) return { many: choice.tasks.length, choice };
  const { matching, until } = await ask(deed, { ...choice, dry_run: true });
  return { many: matching ?? 0, choice: { matching: { ...choice.matching, until } } };
}

/** Do it, part by part; `tell` hears how far it is. */
export async function doAll(
  deed: Deed,
  choice: Choice,
  tell: (progress: Progress) => void,
): Promise<Progress> {
  const key = freshKey();
  let progress: Progress = { done: 0, refused: [], shown: [] };
  for await (const items of "tasks" in choice
    ? byIds(deed, choice.tasks, key)
    : byFilter(deed, choice, key)) {
    progress = added(progress, items);
    tell(progress);
  }
  return progress;
}

async function* byIds(deed: Deed, tasks: string[], key: string): AsyncGenerator<Outcome[]> {
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    yield (await ask(deed, { tasks: tasks.slice(from, from + AT_ONCE) }, key)).items;
  }
}

async function* byFilter(deed: Deed, choice: Choice, key: string): AsyncGenerator<Outcome[]> {
  let cursor: string | null | undefined = null;
  do {
    const page: Schemas["Outcomes"] = await ask(deed, { ...choice, cursor }, key);
    yield page.items;
    cursor = page.next;
  } while (cursor);
}

function added({ done, refused, shown }: Progress, items: Outcome[]): Progress {
  const well = items.filter((item) => !item.problem);
  return {
    done: done + well.length,
    refused: [...refused, ...items.filter((item) => item.problem)],
    shown: [...shown, ...well.slice(0, SHOWN - shown.length)],
  };
}

function ask(deed: Deed, asked: Body, key?: string): Promise<Schemas["Outcomes"]> {
  const body = asked as Schemas["TaskChoice"];
  if (deed === "cancel") return dataOf(api.POST("/api/v1/tasks/cancel", { body }));
  const params = key ? { header: { "Idempotency-Key": key } } : undefined;
  return dataOf(api.POST("/api/v1/tasks/retry", { body, params }));
}
