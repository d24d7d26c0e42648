import { describe, expect, it } from "vitest";
import { graphOf, nodeKind, nodeTitle } from "./layout";

const node = (id: string, depth: number, name = "") => ({
  id,
  kind: "task" as const,
  name,
  link: "",
  state: "",
  endpoint: "",
  created: null,
  is_own: true,
  depth,
});

describe("the graph of lineage", () => {
  it("puts what something came from to its left", () => {
    const lineage = {
      start: "b",
      nodes: [node("a", -1), node("b", 0), node("c", 1), node("d", 1)],
      edges: [
        { source: "a", target: "b", role: "era5" },
        { source: "b", target: "c", role: "" },
        { source: "b", target: "d", role: "" },
      ],
      tasks: 4,
      made: 0,
      is_complete: true,
    };
    const { nodes, edges } = graphOf(lineage);
    const x = Object.fromEntries(nodes.map(({ id, position }) => [id, position.x]));
    expect(x.a).toBeLessThan(x.b ?? 0);
    expect(x.b).toBeLessThan(x.c ?? 0);
    const [c, d] = nodes.filter(({ id }) => id === "c" || id === "d");
    expect(c?.position.y).not.toBe(d?.position.y);
    expect(edges[0]?.label).toBe("era5");
  });

  it("draws no line back where a source was reached on two ways", () => {
    const lineage = {
      start: "a",
      nodes: [node("a", 0), node("b", 1), node("c", 1), node("x", 2), node("y", 3)],
      edges: [
        { source: "a", target: "b", role: "" },
        { source: "b", target: "c", role: "" },
        { source: "a", target: "c", role: "" },
        { source: "x", target: "y", role: "" },
        { source: "y", target: "x", role: "" },
      ],
      tasks: 5,
      made: 0,
      is_complete: true,
    };
    const x = Object.fromEntries(graphOf(lineage).nodes.map((one) => [one.id, one.position.x]));
    expect(x.b).toBeLessThan(x.c ?? 0);
    expect(Object.keys(x)).toHaveLength(5);
  });

  it("shows a digest where there is no name", () => {
    expect(nodeTitle(node("tabcdefghijkl", 0))).toBe("tabcdefg");
    expect(nodeTitle(node("t1", 0, "train"))).toBe("train");
  });

  it("says what files with a name are", () => {
    const files = { ...node("abc", 0), kind: "tree" as const };
    expect(nodeKind(files)).toBe("files");
    expect(nodeKind({ ...files, link: "/datasets/era5" })).toBe("dataset");
    expect(nodeKind({ ...files, link: "/models/digits" })).toBe("model");
  });
});
