import { expect, test } from "vitest";
import type { Task } from "~/api/client";
import { invalidCount, labelsOf, type MetricSet, withLive } from "./metricSet";

const SET: MetricSet = {
  names: [
    { name: "loss", tasks: ["t1"] },
    { name: "other", tasks: ["t1"] },
  ],
  items: [
    {
      task: "t1",
      name: "loss",
      points: [[0, 0, 1]],
      thinned: false,
      count: 1,
      first_step: 0,
      last_step: 0,
    },
  ],
};
const live = (name: string, step: number, value: number | null = 1) => [
  { task: "t1", points: [{ name, step, time: step, value }] },
];

test("a new point goes to the end of its curve", () => {
  expect(withLive(SET, live("loss", 1, null), 10)?.items[0]?.points).toEqual([
    [0, 0, 1],
    [1, 1, null],
  ]);
});

test("a point that is there already, or belongs to a curve not shown here, changes nothing", () => {
  expect(withLive(SET, live("loss", 0), 10)?.items[0]?.points).toHaveLength(1);
  expect(withLive(SET, live("other", 1), 10)?.items).toHaveLength(1);
});

test("a step back, a new name and a curve grown too long are refetched", () => {
  expect(withLive(SET, live("loss", -1), 10)).toBeNull();
  expect(withLive(SET, live("new", 0), 10)).toBeNull();
  expect(withLive(SET, live("loss", 1), 0)).toBeNull();
});

test("tasks are labelled by the parameters that differ", () => {
  const task = (id: string, lr: number) =>
    ({ id, name: "demo", order: { params: { lr, epochs: 3 } } }) as unknown as Task;
  expect([...labelsOf([task("a", 0.1), task("b", 0.2)]).values()]).toEqual([
    "demo (lr=0.1)",
    "demo (lr=0.2)",
  ]);
  expect([...labelsOf([task("a", 0.1)]).values()]).toEqual(["demo"]);
  const plain = { id: "t12345678", name: "plain", order: {} } as unknown as Task;
  expect([...labelsOf([task("a", 0.1), plain]).values()].at(-1)).toBe("plain (t1234567)");
});

test("places that are not a number are counted", () => {
  expect(invalidCount(withLive(SET, live("loss", 1, null), 10)?.items ?? [])).toBe(1);
});
