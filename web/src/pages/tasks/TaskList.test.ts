import { expect, test, vi } from "vitest";
import type { Task } from "~/api/client";
import { TaskList } from "./TaskList";

const task = (n: number, more: Partial<Task> = {}) =>
  ({ id: `t${n}`, name: `task ${n}`, state: "running", version: 1, order: {}, ...more }) as Task;

function listOf(total: number, changesPlace = () => false) {
  const ask = vi.fn(async (cursor: string | null, limit: number) => {
    const from = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(limit, total - from) }, (_, n) => task(from + n));
    const next = from + items.length;
    return { items, next: next < total ? String(next) : null };
  });
  return { ask, list: new TaskList(ask, changesPlace) };
}

test("pages follow one another until the list is complete", async () => {
  const { list } = listOf(300);
  await list.refresh();
  expect(list.snapshot()).toMatchObject({ complete: false, isStale: false });
  while (!list.snapshot().complete) await list.more();
  expect(list.snapshot().rows.map((row) => row.id)).toEqual(
    Array.from({ length: 300 }, (_, n) => `t${n}`),
  );
});

test("a row keeps no more of a task than is shown", async () => {
  const { list } = listOf(1);
  await list.refresh();
  expect(list.snapshot().rows[0]).not.toHaveProperty("order");
});

test("a newer word about a task is drawn in its place, an older one is not", async () => {
  vi.useFakeTimers();
  const { list } = listOf(3);
  await list.refresh();
  list.applyEvent(task(1, { state: "succeeded", version: 3 }));
  list.applyEvent(task(2, { state: "failed", version: 1 }));
  vi.runAllTimers();
  expect(list.snapshot().rows.map((row) => row.state)).toEqual(["running", "succeeded", "running"]);
  vi.useRealTimers();
});

test("what would move rows marks the list as outdated until it is refreshed", async () => {
  vi.useFakeTimers();
  const { list } = listOf(3, () => true);
  await list.refresh();
  list.applyEvent(task(99));
  vi.runAllTimers();
  vi.useRealTimers();
  expect(list.snapshot()).toMatchObject({ outdated: true });
  expect(list.snapshot().rows).toHaveLength(3);
  await list.refresh();
  expect(list.snapshot().outdated).toBe(false);
});

test("a page that fails keeps the rows and can be asked for again", async () => {
  const { list, ask } = listOf(300);
  await list.refresh();
  ask.mockRejectedValueOnce(new Error("away"));
  await list.more();
  expect(list.snapshot().error?.message).toBe("away");
  expect(list.snapshot().rows).toHaveLength(60);
  await list.more();
  expect(ask).toHaveBeenCalledTimes(2);
  await list.readNext();
  expect(list.snapshot().rows.length).toBeGreaterThan(60);
});

test("a search that finds nothing among the newest continues to older tasks by itself", async () => {
  const pages = new Map<string | null, { items: Task[]; next: string | null }>([
    [null, { items: [], next: "a" }],
    ["a", { items: [], next: "b" }],
    ["b", { items: [task(7)], next: null }],
  ]);
  const list = new TaskList(
    async (cursor) => pages.get(cursor) ?? { items: [], next: null },
    () => false,
  );
  await list.refresh();
  expect(list.snapshot().rows.map((row) => row.id)).toEqual(["t7"]);
  expect(list.snapshot().complete).toBe(true);
});

test("a word about a task that overtakes an older answer stands", async () => {
  vi.useFakeTimers();
  const { list } = listOf(2);
  const reading = list.refresh();
  list.applyEvent(task(1, { state: "succeeded", version: 3 }));
  vi.runAllTimers();
  await reading;
  vi.runAllTimers();
  expect(list.snapshot().rows.map((row) => row.state)).toEqual(["running", "succeeded"]);
  vi.useRealTimers();
});
