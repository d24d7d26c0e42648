import { api, dataOf, type Schemas } from "~/api/client";
import { freshKey } from "~/lib/key";

type Outcome = Schemas["Outcome"];

/** The most that the service takes in one call. */
const AT_ONCE = 500;

export function cancelAll(tasks: string[]): Promise<Outcome[]> {
  return inParts(tasks, (part) => api.POST("/api/v1/tasks/cancel", { body: { tasks: part } }));
}

export function retryAll(tasks: string[]): Promise<Outcome[]> {
  const header = { "Idempotency-Key": freshKey() };
  return inParts(tasks, (part) =>
    api.POST("/api/v1/tasks/retry", { body: { tasks: part }, params: { header } }),
  );
}

type Call = (part: string[]) => Promise<{ data?: Schemas["Outcomes"] }>;

async function inParts(tasks: string[], call: Call): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    outcomes.push(...(await dataOf(call(tasks.slice(from, from + AT_ONCE)))).items);
  }
  return outcomes;
}
