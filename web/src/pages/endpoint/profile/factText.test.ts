import { describe, expect, it } from "vitest";
import { factLines, factText, formatValue, formOf, parseValue } from "./factText";

describe("a fact as text", () => {
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
    expect(factLines({ login: true, compute: null })).toEqual(["login: yes", "compute: unknown"]);
  });

  it("is readable text where its shape is known, and generic where it is not", () => {
    const gpu = { name: "gpu", default: true, nodes_total: 2, cpus_per_node: 8, max_minutes: 120 };
    expect(factText("partitions", [gpu])).toEqual([
      "gpu (default): 2 nodes with 8 CPUs; at most 2 h",
    ]);
    const work = { path: "/scratch/me", free_bytes: 5 * 2 ** 30, purge_days: 30 };
    expect(factText("folders", { work })).toEqual([
      "work: /scratch/me; 5.0 GB free, files deleted after 30 days",
    ]);
    expect(factText("flags", { mem: "refuses", time: "takes" })).toEqual(["rejects --mem"]);
    expect(factText("flags", { time: "takes" })).toEqual(["accepts every flag Diamond uses"]);
    expect(factText("partitions", "all of them")).toEqual(["all of them"]);
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
      expect(parseValue(formatValue(value, form), form)).toEqual(value);
    }
  });

  it("leaves out empty lines", () => {
    expect(parseValue("module load a\n\n", "lines")).toEqual(["module load a"]);
  });
});
