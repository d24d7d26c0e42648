import type { Edge, Node } from "@xyflow/react";
import type { Lineage } from "~/runs/api";

export type LineageNode = Lineage["nodes"][number];
export type GraphNode = Node<{ node: LineageNode; isStart: boolean }, "lineage">;

const COLUMN = 280;
const ROW = 78;

/** What something came from stands to the left of it, what used it to the right. */
export function graphOf(lineage: Lineage): { nodes: GraphNode[]; edges: Edge[] } {
  const columns = new Map<number, LineageNode[]>();
  for (const node of lineage.nodes) {
    columns.set(node.depth, [...(columns.get(node.depth) ?? []), node]);
  }
  const nodes = [...columns].flatMap(([depth, members]) =>
    members.map((node, n) => ({
      id: node.id,
      type: "lineage" as const,
      position: { x: depth * COLUMN, y: (n - (members.length - 1) / 2) * ROW },
      data: { node, isStart: node.id === lineage.start },
    })),
  );
  const edges = lineage.edges.map(({ source, target, role }) => ({
    id: `${source} ${target} ${role}`,
    source,
    target,
    label: role === "code" || role === "image" ? undefined : role,
  }));
  return { nodes, edges };
}

export function nodeTitle(node: LineageNode): string {
  const short = node.kind === "task" ? node.id.slice(0, 8) : node.id.slice(0, 12);
  return node.name || short;
}

/** What it is, in a word: files with a name are a version of a dataset or a model. */
export function nodeKind(node: LineageNode): string {
  if (node.kind !== "tree") return node.kind;
  if (node.link.startsWith("/datasets/")) return "dataset";
  return node.link.startsWith("/models/") ? "model" : "files";
}
