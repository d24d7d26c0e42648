import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import type { Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import type { ConnectionState, LiveEvent } from "./messages";

const received = vi.hoisted(() => ({
  send: (_: LiveEvent) => {},
  setState: (_: ConnectionState, __: boolean) => {},
}));
vi.mock("./connection", () => ({
  connection: {
    onEvent: (listener: (event: LiveEvent) => void) => {
      received.send = listener;
    },
    onConnection: (listener: typeof received.setState) => {
      received.setState = listener;
    },
  },
}));

const task = (version: number) => ({ id: "t1", version }) as Task;

/** A page that queries a task; the test provides the responses. */
async function lookedAt(kept?: Task) {
  const { updateQueriesFromEvents } = await import("./queryUpdates");
  const queries = new QueryClient();
  updateQueriesFromEvents(queries);
  if (kept) queries.setQueryData(keys.task("t1"), kept);
  const answers: ((task: Task) => void)[] = [];
  const page = new QueryObserver<Task>(queries, {
    queryKey: keys.task("t1"),
    queryFn: () => new Promise<Task>((answer) => answers.push(answer)),
  });
  const leave = page.subscribe(() => {});
  return { answers, leave, version: () => page.getCurrentResult().data?.version };
}

const isOld = (queries: QueryClient, key: readonly unknown[]) =>
  queries.getQueryState(key)?.isInvalidated;

/** Cached queries and a stream of events. */
async function kept(...all: string[][]) {
  const { updateQueriesFromEvents } = await import("./queryUpdates");
  const queries = new QueryClient();
  updateQueriesFromEvents(queries);
  for (const key of all) queries.setQueryData(key, {});
  return queries;
}

test.each([
  ["its first answer", undefined],
  ["a later answer", task(1)],
])("an event that overtakes %s makes a page ask again", async (_, kept) => {
  const { answers, leave, version } = await lookedAt(kept);

  received.send({ type: "task", data: task(5) });
  answers[0]?.(task(2));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(task(5));

  await vi.waitFor(() => expect(version()).toBe(5));
  leave();
});

test("an event never takes a page back to what was before", async () => {
  const { updateQueriesFromEvents } = await import("./queryUpdates");
  const queries = new QueryClient();
  updateQueriesFromEvents(queries);
  queries.setQueryData(keys.task("t1"), task(5));
  received.send({ type: "task", data: task(4) });
  expect(queries.getQueryData<Task>(keys.task("t1"))?.version).toBe(5);
});

const event = (type: LiveEvent["type"], data: object) => ({ type, data }) as LiveEvent;

test.each([
  [
    "a build, when its image is reported after its end",
    event("image", { id: "i1" }),
    keys.build("t1"),
  ],
  [
    "a log, also while another tab of the page is shown",
    event("log", { task: "t1" }),
    keys.logs("t1"),
  ],
  ["newest values", event("metric", { task: "t1", points: [] }), keys.metrics("t1")],
  [
    "newest values, once more at the end",
    event("task", { ...task(3), ended: 7 }),
    keys.metrics("t1"),
  ],
  [
    "the files of a run, at its end",
    event("task", { ...task(3), ended: 7 }),
    [...keys.files, "t1"],
  ],
  ["a history, when something was noted", event("note", { task: "t1" }), keys.history("t1")],
  ["short runs", event("scale", { id: "s1" }), keys.scale("s1")],
  ["the cost of a job, when an endpoint returns", event("endpoint", {}), ["compose"]],
])("asks again for %s", async (_, event, key) => {
  const queries = await kept(key);
  received.send(event);
  await vi.waitFor(() => expect(isOld(queries, key)).toBe(true));
});

test.each([["task"], ["logs"], ["endpoints"], ["images"], ["notifications"], ["files"]])(
  "what was asked for before the stream was open is asked for again: %s",
  async (first) => {
    const queries = await kept([first]);
    received.setState("online", false);
    await vi.waitFor(() => expect(isOld(queries, [first])).toBe(true), 5_000);
  },
);

test("a slow answer is shown although more is heard meanwhile, and is asked for once more", async () => {
  const { answers, leave, version } = await lookedAt(task(1));
  for (let n = 0; n < 5; n += 1) received.setState("online", true);
  expect(answers).toHaveLength(1);
  answers[0]?.(task(2));
  await vi.waitFor(() => expect(version()).toBe(2));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  leave();
});
