import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import type { Task } from "~/api/client";
import { keys } from "~/api/queries";
import type { LiveEvent } from "./messages";

const heard = vi.hoisted(() => ({ tell: (_: LiveEvent) => {} }));
vi.mock("./link", () => ({
  link: {
    onEvent: (listener: (event: LiveEvent) => void) => {
      heard.tell = listener;
    },
    onLink: () => {},
  },
}));

const task = (version: number) => ({ id: "t1", version }) as Task;

/** A page that asks for a task; the test gives the answers. */
async function lookedAt(kept?: Task) {
  const { keepFresh } = await import("./freshness");
  const queries = new QueryClient();
  keepFresh(queries);
  if (kept) queries.setQueryData(keys.task("t1"), kept);
  const answers: ((task: Task) => void)[] = [];
  const page = new QueryObserver<Task>(queries, {
    queryKey: keys.task("t1"),
    queryFn: () => new Promise<Task>((answer) => answers.push(answer)),
  });
  const leave = page.subscribe(() => {});
  return { answers, leave, version: () => page.getCurrentResult().data?.version };
}

test.each([
  ["its first answer", undefined],
  ["a later answer", task(1)],
])("an event that overtakes %s makes a page ask again", async (_, kept) => {
  const { answers, leave, version } = await lookedAt(kept);

  heard.tell({ type: "task", data: task(5) });
  answers[0]?.(task(2));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(task(5));

  await vi.waitFor(() => expect(version()).toBe(5));
  leave();
});

test("an event never takes a page back to what was before", async () => {
  const { keepFresh } = await import("./freshness");
  const queries = new QueryClient();
  keepFresh(queries);
  queries.setQueryData(keys.task("t1"), task(5));
  heard.tell({ type: "task", data: task(4) });
  expect(queries.getQueryData<Task>(keys.task("t1"))?.version).toBe(5);
});

test("a build's page asks again when its image is there, though the build had ended before", async () => {
  const { keepFresh } = await import("./freshness");
  const queries = new QueryClient();
  keepFresh(queries);
  queries.setQueryData(keys.build("t1"), { image: null });
  heard.tell({ type: "image", data: { n: 1, id: "i1", image: null } });
  await vi.waitFor(() => expect(queries.getQueryState(keys.build("t1"))?.isInvalidated).toBe(true));
});
