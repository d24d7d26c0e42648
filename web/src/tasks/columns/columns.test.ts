import { expect, test } from "vitest";
import type { Summary } from "../summaries";
import { columnChoices, columnLabel, columnsOf, columnsText, columnText } from "./columns";

const summary: Summary = {
  task: "t1",
  main: "loss",
  params: { lr: 0.01, "a,b": "x" },
  values: [
    { name: "loss", last: 0.5, min: 0.25, min_step: 3, max: 2, best: "min" },
    { name: "lr", last: 1, min: 1, max: 1, best: null },
  ],
  progress: null,
  spark: [],
};

test("columns are chosen by what the tasks have, and survive the address", () => {
  const groups = columnChoices([summary]);
  expect(groups.map(({ group }) => group)).toEqual([
    "Task",
    "Parameters",
    "Last value",
    "Best value",
  ]);
  expect(groups[3]?.items).toEqual([{ value: "best:loss", label: "best loss" }]);
  const chosen = ["param:a,b", "best:loss", "tags"];
  expect(columnsOf(columnsText(chosen))).toEqual(chosen);
  expect(columnsOf("nonsense,param:")).toEqual([]);
});

test("a cell shows the value, or nothing where a task has none", () => {
  expect(columnText("param:lr", summary)).toBe("0.01");
  expect(columnText("best:loss", summary)).toBe("0.25");
  expect(columnText("last:accuracy", summary)).toBe("");
  expect(columnText("last:loss", undefined)).toBe("");
  expect(columnLabel("last:val/loss")).toBe("val/loss");
});
