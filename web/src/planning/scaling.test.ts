import { expect, test } from "vitest";
import {
  type Probe,
  probeResult,
  probeStatus,
  scaleTitle,
  scalingCurves,
  scalingDescription,
} from "./scaling";

const probe = (nodes: number, throughput: number | null, more: object = {}) =>
  ({
    label: `${nodes} nodes`,
    nodes,
    throughput,
    efficiency: null,
    steps: 0,
    state: "waiting",
    words: "",
    ...more,
  }) as Probe;

test("the curve stands beside a perfect one, in order of node count", () => {
  const probes = [probe(2, 150), probe(1, 100)];
  const [measured, perfect] = scalingCurves({ kind: "nodes", unit: "samples", probes });
  expect(measured?.points.map(([, , y]) => y)).toEqual([100, 150]);
  expect(perfect?.points.map(([, , y]) => y)).toEqual([100, 200]);
  expect([measured?.dashed, perfect?.dashed]).toEqual([undefined, true]);
  const part = { unit: "samples", probes: [probe(1, 100), probe(2, null)] };
  expect(scalingCurves({ ...part, kind: "nodes" })).toEqual([]);
  expect(scalingDescription(part)).toBe(
    "Throughput by number of nodes, in samples per second: 1 nodes 100",
  );
});

test("settings are measured on one node and have no curve", () => {
  const probes = [probe(1, 100), probe(1, 150)];
  expect(scalingCurves({ kind: "tune", unit: "samples", probes })).toEqual([]);
});

test("a probe says what it does, or why it has no result", () => {
  expect(probeStatus(probe(2, null), 30)).toBe("waiting");
  expect(probeStatus(probe(2, null, { state: "running", steps: 12 }), 30)).toBe(
    "running, 12 of 30 steps measured",
  );
  const failed = { state: "failed", words: "out of memory" };
  expect(probeStatus(probe(2, null, failed), 30)).toBe("failed: out of memory");
  const skipped = { state: "skipped", words: "no budget" };
  expect(probeStatus(probe(2, null, skipped), 30)).toBe("skipped: no budget");
});

test("what was measured stands against the first", () => {
  const gains = [{ change: "batch=8", factor: 1.9, helps: true, words: "" }];
  expect(probeResult({ kind: "nodes", gains: [] }, probe(2, 150, { efficiency: 0.754 }))).toBe(
    "75 %",
  );
  expect(probeResult({ kind: "tune", gains }, probe(1, 150, { label: "batch=8" }))).toBe("1.90×");
  expect(probeResult({ kind: "tune", gains }, probe(1, 150, { label: "as written" }))).toBe("");
});

test("a scale that failed has measured nothing", () => {
  expect(scaleTitle({ state: "failed", endpoint: "m2" })).toBe("Nothing could be measured on m2");
  expect(scaleTitle({ state: "running", endpoint: "m2" })).toBe("Measuring on m2");
});
