import { expect, test } from "vitest";
import type { Schemas } from "~/api/client";
import { curvesOf, nodesOf, probeWords } from "./words";

const probe = (nodes: number, throughput: number | null, efficiency: number | null = null) =>
  ({ nodes, throughput, efficiency, state: "waiting", words: "" }) as Schemas["ScaleProbe"];

test("numbers of machines as people write them", () => {
  expect(nodesOf("1, 2 4;8")).toEqual([1, 2, 4, 8]);
  expect(nodesOf("some")).toEqual([]);
});

test("the curve stands beside a perfect one, in the order of machines", () => {
  const [measured, perfect] = curvesOf({ unit: "samples", probes: [probe(2, 150), probe(1, 100)] });
  expect(measured?.points.map(([, , y]) => y)).toEqual([100, 150]);
  expect(perfect?.points.map(([, , y]) => y)).toEqual([100, 200]);
  expect(curvesOf({ unit: "samples", probes: [probe(1, 100), probe(2, null)] })).toEqual([]);
});

test("a probe says what it gave", () => {
  expect(probeWords(probe(2, 150, 0.75), "samples")).toBe("150 samples/s, 75 % each");
  expect(probeWords(probe(2, null), "samples")).toBe("waiting");
});
