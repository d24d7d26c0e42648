import { describe, expect, it } from "vitest";
import { factLines, formOf, readBack, written } from "./words";

describe("a fact in words", () => {
  it("is one line for each entry of a list", () => {
    const partitions = [
      { name: "gpu", default: true, max_minutes: 120, qos: null, gpus_per_node: { a100: 4 } },
      { name: "cpu", default: false },
    ];
    expect(factLines(partitions)).toEqual([
      "gpu: default, max minutes 120, gpus per node (a100 4)",
      "cpu",
    ]);
  });

  it("is one line for each name of a table", () => {
    expect(factLines({ login: true, compute: null })).toEqual(["login: yes", "compute: not known"]);
  });

  it("says none rather than nothing", () => {
    expect(factLines({})).toEqual(["none"]);
    expect(factLines([])).toEqual(["none"]);
  });

  it("shows text as it is", () => {
    expect(factLines("<b>alpha</b>")).toEqual(["<b>alpha</b>"]);
  });
});

describe("a correction", () => {
  it("is written and read back in the form of its value", () => {
    for (const value of [8, "alpha@login", ["module load python"], { a100: 4 }]) {
      const form = formOf(value);
      expect(readBack(written(value, form), form)).toEqual(value);
    }
  });

  it("leaves out empty lines", () => {
    expect(readBack("module load a\n\n", "lines")).toEqual(["module load a"]);
  });
});
