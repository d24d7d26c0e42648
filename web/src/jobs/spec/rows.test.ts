import { expect, test } from "vitest";
import { emptyRow, mappingOf, repeatedNames, rowsMatch, rowsOf } from "./rows";

test("rows and mapping say the same", () => {
  const mapping = { lr: 0.001, name: "a b", version: "3.10" };
  const rows = rowsOf(mapping);
  expect(mappingOf(rows)).toEqual(mapping);
  expect(rowsMatch(rows, mapping)).toBe(true);
});

test("a row without a name stands for nothing yet, and may stay", () => {
  const rows = [...rowsOf({ lr: 1 }), { ...emptyRow(), value: "half" }];
  expect(mappingOf(rows)).toEqual({ lr: 1 });
  expect(rowsMatch(rows, { lr: 1 })).toBe(true);
});

test("a change from elsewhere is noticed", () => {
  expect(rowsMatch(rowsOf({ lr: 1 }), { lr: 2 })).toBe(false);
  expect(rowsMatch(rowsOf({ lr: 1 }), undefined)).toBe(false);
});

test("a name used in two rows is reported", () => {
  const rows = ["lr", "lr", "steps"].map((name) => ({ ...emptyRow(), name }));
  expect(repeatedNames(rows)).toEqual(["lr"]);
});
