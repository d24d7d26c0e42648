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

test("an event that overtakes a page's first answer makes it ask again", async () => {
  const { keepFresh } = await import("./freshness");
  const queries = new QueryClient();
  keepFresh(queries);
  const answers: ((task: Task) => void)[] = [];
  const page = new QueryObserver<Task>(queries, {
    queryKey: keys.task("t1"),
    queryFn: () => new Promise<Task>((answer) => answers.push(answer)),
  });
  const leave = page.subscribe(() => {});

  heard.tell({ type: "task", data: task(5) });
  answers[0]?.(task(1));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(task(5));

  await vi.waitFor(() => expect(page.getCurrentResult().data?.version).toBe(5));
  leave();
});

test("an answer that an event overtook does not stay, also where the page had one before", async () => {
  const { keepFresh } = await import("./freshness");
  const queries = new QueryClient();
  keepFresh(queries);
  queries.setQueryData(keys.task("t1"), task(1));
  const answers: ((task: Task) => void)[] = [];
  const page = new QueryObserver<Task>(queries, {
    queryKey: keys.task("t1"),
    queryFn: () => new Promise<Task>((answer) => answers.push(answer)),
  });
  const leave = page.subscribe(() => {});

  heard.tell({ type: "task", data: task(5) });
  answers[0]?.(task(2));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(task(5));

  await vi.waitFor(() => expect(page.getCurrentResult().data?.version).toBe(5));
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
