import type { Edge, Node } from "@xyflow/react";
import type { Lineage } from "~/runs/api";

export type LineageNode = Lineage["nodes"][number];
export type GraphNode = Node<{ node: LineageNode; isStart: boolean }, "lineage">;

const COLUMN = 280;
const ROW = 78;

/** What something came from is to the left of it, what used it to the right; no line leads back. */
export function graphOf(lineage: Lineage): { nodes: GraphNode[]; edges: Edge[] } {
  const sources = sourcesOf(lineage);
  const columns = new Map<number, LineageNode[]>();
  for (const [node, column] of columnsOf(lineage.nodes, sources)) {
    columns.set(column, [...(columns.get(column) ?? []), node]);
  }
  const heights = new Map<string, number>();
  const height = (node: LineageNode) => mean(sources.get(node.id) ?? [], heights);
  const nodes = [...columns.keys()]
    .sort((a, b) => a - b)
    .flatMap((column) => {
      const members = [...(columns.get(column) ?? [])].sort((a, b) => height(a) - height(b));
      return members.map((node, n) => {
        const y = (n - (members.length - 1) / 2) * ROW;
        heights.set(node.id, y);
        return {
          id: node.id,
          type: "lineage" as const,
          position: { x: column * COLUMN, y },
          data: { node, isStart: node.id === lineage.start },
        };
      });
    });
  const edges = lineage.edges.map(({ source, target, role }) => ({
    id: `${source} ${target} ${role}`,
    source,
    target,
    label: role === "code" || role === "image" ? undefined : role,
  }));
  return { nodes, edges };
}

function sourcesOf({ nodes, edges }: Lineage): Map<string, string[]> {
  const sources = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    if (sources.has(source)) sources.get(target)?.push(source);
  }
  return sources;
}

/** Each node comes one column after the last of its sources. In a loop, its distance from the start counts. */
function columnsOf(nodes: LineageNode[], sources: Map<string, string[]>) {
  const columns = new Map<string, number>();
  let waiting = nodes;
  while (waiting.length) {
    const ready = waiting.filter(({ id }) => (sources.get(id) ?? []).every((s) => columns.has(s)));
    if (!ready.length) break;
    for (const { id } of ready) {
      const before = (sources.get(id) ?? []).map((source) => columns.get(source) ?? 0);
      columns.set(id, Math.max(-1, ...before) + 1);
    }
    waiting = waiting.filter(({ id }) => !columns.has(id));
  }
  return nodes.map((node) => [node, columns.get(node.id) ?? node.depth] as const);
}

function mean(ids: string[], heights: Map<string, number>): number {
  const known = ids.flatMap((id) => heights.get(id) ?? []);
  return known.length ? known.reduce((sum, y) => sum + y, 0) / known.length : 0;
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
