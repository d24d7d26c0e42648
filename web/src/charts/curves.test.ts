import { expect, test } from "vitest";
import {
  invalidPoints,
  nearest,
  type Pair,
  type Point,
  packed,
  pairsOf,
  smoothed,
  stepsWithin,
  toCsv,
} from "./curves";

const POINTS: Point[] = [
  [0, 1000, 4],
  [10, 1005, null],
  [20, 1020, 2],
];

test("points are placed by step, or by the time since the first of them", () => {
  expect(pairsOf(POINTS, "step").map(([x]) => x)).toEqual([0, 10, 20]);
  expect(pairsOf(POINTS, "time").map(([x]) => x)).toEqual([0, 5, 20]);
});

test("smoothing a steady value leaves it as it is, from the first point on", () => {
  const steady: Pair[] = [0, 1, 2, 3].map((x) => [x, 5]);
  for (const [, y] of smoothed(steady, 0.9)) expect(y).toBeCloseTo(5);
});

test("smoothing leans on the past and skips what is not a number", () => {
  const [first, broken, last] = smoothed(pairsOf(POINTS, "step"), 0.5);
  expect(first?.[1]).toBe(4);
  expect(broken?.[1]).toBeNull();
  expect(last?.[1]).toBeCloseTo(8 / 3);
});

test("a place that is not a number is marked at the height before it", () => {
  expect(invalidPoints(pairsOf(POINTS, "step"))).toEqual([[10, 4]]);
});

test("a span of time is converted to steps", () => {
  expect(stepsWithin([{ points: POINTS }], { from: 4, to: 6 })).toEqual({ from: 10, to: 10 });
  expect(stepsWithin([{ points: POINTS }], { from: 30, to: 40 })).toBeNull();
});

test("the nearest value is found from both sides", () => {
  const pairs = pairsOf(POINTS, "step");
  expect([nearest(pairs, -5)?.[0], nearest(pairs, 14)?.[0], nearest(pairs, 99)?.[0]]).toEqual([
    0, 10, 20,
  ]);
  expect(nearest([], 1)).toBeUndefined();
});

test("a table for a spreadsheet holds labels as text, never as formulas", () => {
  const csv = toCsv([{ key: "k", label: '=cmd("x")', color: "", points: [[1, 2, null]] }]);
  expect(csv).toBe('curve,step,time,value\n"\'=cmd(""x"")",1,2,\n');
});

test("packed numbers keep a gap as NaN", () => {
  expect([
    ...packed([
      [1, 2],
      [3, null],
    ]),
  ]).toEqual([1, 2, 3, Number.NaN]);
});
