import { expect, test } from "vitest";
import { toggled } from "~/lib/sets";
import { stepped, withRange } from "./selection";

const ROWS = ["a", "b", "c", "d"].map((id) => ({ id }));

test("choosing a row twice leaves it", () => {
  const chosen = toggled(new Set<string>(), "a");
  expect([...chosen]).toEqual(["a"]);
  expect([...toggled(chosen, "a")]).toEqual([]);
});

test("a range reaches in both directions and keeps what was chosen", () => {
  expect([...withRange(new Set(["d"]), ROWS, 2, 1)]).toEqual(["d", "b", "c"]);
});

test("keys lead from row to row and stop at both ends", () => {
  expect(stepped("ArrowDown", 0, 10, 4)).toBe(1);
  expect(stepped("ArrowUp", 0, 10, 4)).toBe(0);
  expect(stepped("PageDown", 1, 10, 4)).toBe(3);
  expect(stepped("End", 0, 10, 4)).toBe(3);
  expect(stepped("x", 0, 10, 4)).toBeNull();
  expect(stepped("End", 0, 10, 0)).toBeNull();
});
