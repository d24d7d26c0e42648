import { expect, test } from "vitest";
import { withMoved, withoutAt, withReplaced } from "./lists";

const LIST = ["a", "b", "c"];

test("an entry is changed or taken out in its place", () => {
  expect(withReplaced(LIST, 1, "x")).toEqual(["a", "x", "c"]);
  expect(withoutAt(LIST, 0)).toEqual(["b", "c"]);
});

test("an entry moves by one, and not beyond an end", () => {
  expect(withMoved(LIST, 0, 1)).toEqual(["b", "a", "c"]);
  expect(withMoved(LIST, 0, -1)).toEqual(LIST);
  expect(withMoved(LIST, 2, 1)).toEqual(LIST);
});
