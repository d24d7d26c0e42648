import { expect, test } from "vitest";
import { keyRange } from "./useRange";

test("keys zoom around the middle, move by a quarter, and show all again", () => {
  const now = { from: 0, to: 100 };
  expect(keyRange("+", now)).toEqual({ from: 25, to: 75 });
  expect(keyRange("-", now)).toEqual({ from: -50, to: 150 });
  expect(keyRange("ArrowRight", now)).toEqual({ from: 25, to: 125 });
  expect(keyRange("0", now)).toBeNull();
  expect(keyRange("x", now)).toBeUndefined();
});
