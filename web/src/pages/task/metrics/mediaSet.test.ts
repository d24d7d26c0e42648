import { expect, test } from "vitest";
import { type Media, readTable, seriesOf } from "./mediaSet";

const item = (name: string, step: number | null, kind: Media["kind"] = "image"): Media => ({
  path: `${name}-${step}.png`,
  source: "wandb",
  kind,
  name,
  step,
  size: 1,
  modified: 1,
});

test("items of one name become one series by step", () => {
  const series = seriesOf([item("b", 1), item("a", 10), item("a", 2), item("a", 3, "table")]);
  expect(
    series.map(({ name, kind, items }) => [name, kind, items.map(({ step }) => step)]),
  ).toEqual([
    ["b", "image", [1]],
    ["a", "image", [2, 10]],
    ["a", "table", [3]],
  ]);
});

test("a table has text in every cell, and other files are none", () => {
  const text = JSON.stringify({
    columns: ["x", 2],
    data: [[1, null], ["<b>", { a: 1 }], "no row"],
  });
  expect(readTable(text, 10)).toEqual({
    columns: ["x", "2"],
    rows: [
      ["1", "null"],
      ["<b>", '{"a":1}'],
    ],
  });
  expect(readTable("[]", 10)).toBeUndefined();
  expect(readTable("{", 10)).toBeUndefined();
});
