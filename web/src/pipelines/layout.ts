import type { Edge, Node } from "@xyflow/react";
import type { Stage } from "~/pipelines/api";

export type StageNode = Node<{ stage: Stage }, "stage">;

const COLUMN = 250;
const ROW = 92;

/** Each stage to the right of everything it depends on. The service lists parents first. */
export function graphOf(stages: Stage[]): { nodes: StageNode[]; edges: Edge[] } {
  const depths = depthsOf(stages);
  const columns = new Map<number, Stage[]>();
  for (const stage of stages) {
    const depth = depths.get(stage.name) ?? 0;
    columns.set(depth, [...(columns.get(depth) ?? []), stage]);
  }
  const nodes = [...columns].flatMap(([depth, members]) =>
    members.map((stage, n) => ({
      id: stage.name,
      type: "stage" as const,
      position: { x: depth * COLUMN, y: (n - (members.length - 1) / 2) * ROW },
      data: { stage },
    })),
  );
  const critical = new Set(stages.filter((stage) => stage.is_critical).map((stage) => stage.name));
  const edges = stages.flatMap((stage) =>
    stage.parents.map((parent) => ({
      id: `${parent} ${stage.name}`,
      source: parent,
      target: stage.name,
      animated: stage.state === "running",
      style: critical.has(parent) && critical.has(stage.name) ? { strokeWidth: 2.5 } : undefined,
    })),
  );
  return { nodes, edges };
}

export function depthsOf(stages: Stage[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { name, parents } of stages) {
    depths.set(name, Math.max(0, ...parents.map((parent) => (depths.get(parent) ?? 0) + 1)));
  }
  return depths;
}
