import { expect, test } from "vitest";
import { parseCsv } from "./parseCsv";

test("cells are parted by commas, and quotes keep commas, quotes and line ends", () => {
  expect(parseCsv('a,b\r\n1,"x, ""y""\nz"\n', 10)).toEqual([
    ["a", "b"],
    ["1", 'x, "y"\nz'],
  ]);
});

test("tabs and semicolons part cells where the first line says so", () => {
  expect(parseCsv("a\tb\n1\t2", 10)).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
  expect(parseCsv("a;b\n1,5;2", 10)[1]).toEqual(["1,5", "2"]);
});

test("no more rows are read than asked for", () => {
  expect(parseCsv("1\n2\n3\n", 2)).toEqual([["1"], ["2"]]);
});
