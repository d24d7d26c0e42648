import { expect, test } from "vitest";
import type { Timeline } from "~/pilots/api";
import { amountsInUse, mostOf, stepPath } from "./use";

const part = (cores: number, gpus = 0) => ({ node: "n1", cores, gpus });
const item = (from: number, to: number | null, cores: number) =>
  ({ claimed: from, started: from, ended: to, parts: [part(cores)] }) as Timeline["items"][0];
const TIMELINE = {
  now: 20,
  allocations: [{ id: "1", opened: 0, ends: 100, nodes: [part(4, 1), part(4, 1)] }],
  items: [item(2, 6, 2), item(4, null, 1)],
} as unknown as Timeline;

test("cores in use add up, and what has not ended counts until now", () => {
  expect(amountsInUse(TIMELINE, "cores")).toEqual([
    { at: 0, used: 0 },
    { at: 2, used: 2 },
    { at: 4, used: 3 },
    { at: 6, used: 1 },
    { at: 20, used: 0 },
  ]);
  expect(amountsInUse(TIMELINE, "gpus").every(({ used }) => used === 0)).toBe(true);
  expect(mostOf(TIMELINE, "cores")).toBe(8);
});

test("a picture of nothing is empty", () => {
  const span = { from: 0, to: 20, most: 8, width: 100, height: 10 };
  expect(stepPath([], span)).toBe("");
  expect(stepPath(amountsInUse(TIMELINE, "cores"), span)).toMatch(/^M0\.0,10/);
});
