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
      edges: [{ source: "a", target: "b", role: "era5" }],
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
