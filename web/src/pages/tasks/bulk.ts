import { api, dataOf, type Schemas } from "~/api/client";
import { randomKey } from "~/lib/randomKey";
import type { TasksSearch } from "./search";
import { statesOf } from "./search";
import { filtersOf } from "./useTaskList";

type Outcome = Schemas["Outcome"];
export type BulkOperation = "cancel" | "retry";
/** Selected tasks, or all that match the filters. */
export type Choice = { tasks: string[] } | { matching: Partial<Schemas["TaskMatch"]> };
/** Omitted fields use the service's defaults. */
type Body = Partial<Omit<Schemas["TaskChoice"], "matching">> & Partial<{ matching: object }>;
/** Progress so far: how many are done, and which were rejected. */
export type Progress = { done: number; rejected: Outcome[]; shown: Outcome[] };

/** The most the service accepts in one call. */
const MAX_PER_CALL = 500;
/** Only some of the successful ones are listed, but all that failed. */
const MAX_SHOWN = 100;

export function matchingOf(search: TasksSearch): Choice {
  const states = statesOf(search) as Schemas["TaskMatch"]["state"];
  const { whose: _, ...filters } = filtersOf(search);
  const set = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { matching: { ...Object.fromEntries(set), state: states } };
}

/** How many tasks would be affected, and the same choice without later tasks. */
export async function previewBulk(
  operation: BulkOperation,
  choice: Choice,
): Promise<{ total: number; choice: Choice }> {
  if ("tasks" in choice) return { total: choice.tasks.length, choice };
  const { matching, until } = await requestBulk(operation, { ...choice, dry_run: true });
  return { total: matching ?? 0, choice: { matching: { ...choice.matching, until } } };
}

/** Runs the operation in batches and reports the progress. */
export async function runBulk(
  operation: BulkOperation,
  choice: Choice,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const key = randomKey();
  let progress: Progress = { done: 0, rejected: [], shown: [] };
  for await (const items of "tasks" in choice
    ? byIds(operation, choice.tasks, key)
    : byFilter(operation, choice, key)) {
    progress = addOutcomes(progress, items);
    onProgress(progress);
  }
  return progress;
}

async function* byIds(
  operation: BulkOperation,
  tasks: string[],
  key: string,
): AsyncGenerator<Outcome[]> {
  for (let from = 0; from < tasks.length; from += MAX_PER_CALL) {
    yield (await requestBulk(operation, { tasks: tasks.slice(from, from + MAX_PER_CALL) }, key))
      .items;
  }
}

async function* byFilter(
  operation: BulkOperation,
  choice: Choice,
  key: string,
): AsyncGenerator<Outcome[]> {
  let cursor: string | null | undefined = null;
  do {
    const page: Schemas["Outcomes"] = await requestBulk(operation, { ...choice, cursor }, key);
    yield page.items;
    cursor = page.next;
  } while (cursor);
}

function addOutcomes({ done, rejected, shown }: Progress, items: Outcome[]): Progress {
  const succeeded = items.filter((item) => !item.problem);
  return {
    done: done + succeeded.length,
    rejected: [...rejected, ...items.filter((item) => item.problem)],
    shown: [...shown, ...succeeded.slice(0, MAX_SHOWN - shown.length)],
  };
}

function requestBulk(
  operation: BulkOperation,
  choice: Body,
  key?: string,
): Promise<Schemas["Outcomes"]> {
  const body = choice as Schemas["TaskChoice"];
  if (operation === "cancel") return dataOf(api.POST("/api/v1/tasks/cancel", { body }));
  const params = key ? { header: { "Idempotency-Key": key } } : undefined;
  return dataOf(api.POST("/api/v1/tasks/retry", { body, params }));
}
