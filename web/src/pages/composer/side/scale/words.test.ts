import { expect, test } from "vitest";
import type { Schemas } from "~/api/client";
import { begunFor, curvesOf, isOf, nodesOf, probeWords } from "./words";

const probe = (nodes: number, throughput: number | null, efficiency: number | null = null) =>
  ({ nodes, throughput, efficiency, state: "waiting", words: "" }) as Schemas["ScaleProbe"];

test("numbers of machines as people write them", () => {
  expect(nodesOf("1, 2 4;8")).toEqual([1, 2, 4, 8]);
  expect(nodesOf("")).toEqual([]);
  for (const text of ["some", "x8", "0, 5", "1.5", "-2"]) expect(nodesOf(text)).toBeNull();
});

test("a scale is of the job that it was begun for, whatever its params became", () => {
  const begun = begunFor("s1", { name: "net", run: "python t.py {batch}", params: { batch: 8 } });
  expect(isOf(begun, { name: "net", run: "python t.py {batch}", params: { batch: 4 } })).toBe(true);
  expect(isOf(begun, { name: "net", run: "python other.py" })).toBe(false);
  expect(isOf(begun, {})).toBe(false);
});

test("the curve stands beside a perfect one, in the order of machines", () => {
  const [measured, perfect] = curvesOf({
    kind: "nodes",
    unit: "samples",
    probes: [probe(2, 150), probe(1, 100)],
  });
  expect(measured?.points.map(([, , y]) => y)).toEqual([100, 150]);
  expect(perfect?.points.map(([, , y]) => y)).toEqual([100, 200]);
  const part = { unit: "samples", probes: [probe(1, 100), probe(2, null)] };
  expect(curvesOf({ ...part, kind: "nodes" })).toEqual([]);
});

test("settings, which all ran on one machine, are no curve over machines", () => {
  const probes = [probe(1, 100), probe(1, 150)];
  expect(curvesOf({ kind: "tune", unit: "samples", probes })).toEqual([]);
});

test("a probe says what it gave", () => {
  expect(probeWords(probe(2, 150, 0.75), "samples")).toBe("150 samples/s, 75 % each");
  expect(probeWords(probe(2, null), "samples")).toBe("waiting");
});
