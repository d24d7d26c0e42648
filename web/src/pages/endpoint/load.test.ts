import { expect, test } from "vitest";
import { averageOf, dayNames, hourCells } from "./load";

const HOUR = 3_600;

test("every hour has a cell, and an hour without a report is not an idle one", () => {
  const now = 1_000 * HOUR + 100;
  const cells = hourCells([{ at: 999 * HOUR, busy: 0.5, pending: 3 }], 2, now);
  expect(cells).toHaveLength(48);
  expect(cells.at(-1)).toEqual({ at: 1_000 * HOUR, hour: undefined });
  expect(cells.at(-2)?.hour?.busy).toBe(0.5);
  expect(dayNames(2, now)).toHaveLength(2);
});

test("averages are over known hours only", () => {
  expect(averageOf([])).toEqual({ busy: 0, pending: 0 });
  const hours = [0.2, 0.6].map((busy, n) => ({ at: n, busy, pending: n }));
  expect(averageOf(hours).busy).toBeCloseTo(0.4);
});
