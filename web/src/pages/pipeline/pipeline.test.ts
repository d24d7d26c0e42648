import { expect, test } from "vitest";
import type { Stage } from "~/pipelines/api";
import { graphOf } from "~/pipelines/layout";
import { barsOf } from "./bars";

function stage(name: string, parents: string[], rest: Partial<Stage> = {}): Stage {
  return {
    name,
    parents,
    is_mapped: false,
    group: "",
    when: "",
    state: "done",
    is_critical: false,
    steps: [],
    ...rest,
  };
}

test("a stage stands right of everything it depends on", () => {
  const { nodes, edges } = graphOf([
    stage("a", [], { is_critical: true }),
    stage("b", ["a"], { is_critical: true }),
    stage("c", ["a", "b"]),
  ]);
  const x = Object.fromEntries(nodes.map((node) => [node.id, node.position.x]));
  expect(x.a).toBeLessThan(x.b ?? 0);
  expect(x.b).toBeLessThan(x.c ?? 0);
  expect(edges.map((edge) => edge.id)).toEqual(["a b", "a c", "b c"]);
  expect(edges.filter((edge) => edge.style).map((edge) => edge.id)).toEqual(["a b"]);
});

test("a bar has the time in the queue and the time of the program; cached steps have none", () => {
  const step = {
    n: 0,
    label: "",
    message: "",
    item: {},
    task: "t1",
    pilot: "",
    task_state: "running",
    phase: "",
    endpoint: "m",
    nodes: 1,
    cpus: 2,
    gpus: 0,
    tries: 1,
    lost: 0,
    outputs: {},
  };
  const bars = barsOf(
    [
      stage("a", [], { steps: [{ ...step, state: "done", queued: 10, started: 12, ended: 20 }] }),
      stage("b", [], { steps: [{ ...step, state: "cached", queued: 20, started: 20, ended: 20 }] }),
      stage("c", [], {
        steps: [{ ...step, state: "running", queued: 20, started: null, ended: null }],
      }),
    ],
    30,
  );
  expect(bars.map((bar) => [bar.name, bar.queued, bar.started, bar.ended])).toEqual([
    ["a", 10, 12, 20],
    ["c", 20, 30, 30],
  ]);
});
