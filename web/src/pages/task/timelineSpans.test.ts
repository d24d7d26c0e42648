import { expect, test } from "vitest";
import type { Schemas, Task } from "~/api/client";
import { type Lane, lanesOf, mergedSpans, totals } from "./timelineSpans";

const attempt = (more: Partial<Schemas["Attempt"]>): Schemas["Attempt"] => ({
  id: "a1",
  number: 1,
  native_id: "",
  run: 1,
  runs: [],
  queued: null,
  arrived: null,
  gap: null,
  checkpoint: "",
  step: null,
  started: null,
  ended: null,
  reason: "",
  ending: "",
  ...more,
});
const task = (attempts: Schemas["Attempt"][], ended: number | null = null) =>
  ({ created: 100, ended, attempts }) as Task;
const submitted = (id: string, at: number) =>
  ({ type: "submitted", at, data: { attempt: id } }) as unknown as Schemas["HistoryLine"];
const summary = (lanes: ReturnType<typeof lanesOf>) =>
  lanes.map((lane) => lane.spans.map(({ phase, from, to }) => [phase, from, to]));

test("a task that waits has been prepared, and waits until now", () => {
  const lanes = lanesOf(task([attempt({})]), [submitted("a1", 103)], 150);
  expect(summary(lanes)).toEqual([
    [
      ["prepared", 100, 103],
      ["waited", 103, 150],
    ],
  ]);
  expect(lanes[0]?.spans.at(-1)?.open).toBe(true);
});

test("a task that ended is drawn from its first second to its last", () => {
  const runs = [{ run: 1, node: "n", started: 110, ended: 120, exit_code: 3 }];
  const ended = attempt({ runs, started: 110, ended: 122 });
  expect(summary(lanesOf(task([ended], 122), [submitted("a1", 101)], 999))).toEqual([
    [
      ["prepared", 100, 101],
      ["waited", 101, 110],
      ["ran", 110, 120],
      ["ended", 120, 122],
    ],
  ]);
});

test("a requeue shows as a second wait and a second run of the same attempt", () => {
  const runs = [
    { run: 1, node: "n", started: 110, ended: 120, exit_code: null },
    { run: 2, node: "n", started: 140, ended: null, exit_code: null },
  ];
  const lanes = lanesOf(task([attempt({ runs })]), [submitted("a1", 100)], 150);
  expect(summary(lanes)[0]).toEqual([
    ["waited", 100, 110],
    ["ran", 110, 120],
    ["waited", 120, 140],
    ["ran", 140, 150],
  ]);
});

test("a run whose end nobody saw ends at the latest where the next one began", () => {
  const runs = [
    { run: 1, node: "n", started: 110, ended: null, exit_code: null },
    { run: 2, node: "m", started: 140, ended: 145, exit_code: 0 },
  ];
  const lanes = lanesOf(task([attempt({ runs, ended: 146 })], 146), [submitted("a1", 100)], 150);
  expect(summary(lanes)[0]).toEqual([
    ["waited", 100, 110],
    ["ran", 110, 140],
    ["ran", 140, 145],
    ["ended", 145, 146],
  ]);
});

test("what the site put back into the queue waits again until now", () => {
  const runs = [{ run: 1, node: "n", started: 110, ended: 120, exit_code: 143 }];
  const waiting = { ...task([attempt({ runs })]), state: "pending" } as Task;
  expect(summary(lanesOf(waiting, [submitted("a1", 100)], 150))[0]?.at(-1)).toEqual([
    "waited",
    120,
    150,
  ]);
});

test("the next attempt begins where the one before it ended", () => {
  const first = attempt({
    runs: [{ run: 1, node: "n", started: 101, ended: 110, exit_code: 75 }],
    ended: 110,
  });
  const second = attempt({ id: "a2", number: 2 });
  const lanes = lanesOf(task([first, second]), [submitted("a1", 100), submitted("a2", 112)], 130);
  expect(summary(lanes)[1]).toEqual([
    ["prepared", 110, 112],
    ["waited", 112, 130],
  ]);
  expect(totals(lanes).get("waited")).toBe(19);
});

test("a program that ended in the moment in which it began has run", () => {
  const runs = [{ run: 1, node: "n", started: 110, ended: 110, exit_code: 75 }];
  const lanes = lanesOf(task([attempt({ runs, ended: 110 })], 110), [submitted("a1", 100)], 150);
  expect(summary(lanes)[0]?.at(-1)).toEqual(["ran", 110, 110]);
});

test("in the one lane of a long chain nothing covers what ran", () => {
  const lane = (attempt: number, from: number): Lane => ({
    attempt,
    ending: "",
    runs: 1,
    spans: [
      { phase: "ran", from, to: from + 9, open: false },
      { phase: "waited", from: from - 5, to: from, open: false },
    ],
  });
  expect(
    mergedSpans([lane(1, 10), lane(2, 20)]).map(({ attempt, phase }) => [attempt, phase]),
  ).toEqual([
    [1, "waited"],
    [2, "waited"],
    [1, "ran"],
    [2, "ran"],
  ]);
});
