import { describe, expect, it } from "vitest";
import { cellText, columnTitle } from "./cells";

describe("columns of runs", () => {
  it("names what a person calls them", () => {
    expect(columnTitle("node_hours")).toBe("Node-hours");
    expect(columnTitle("param.lr")).toBe("lr");
    expect(columnTitle("best.val/acc")).toBe("val/acc, best");
    expect(columnTitle("metric.a.b")).toBe("a.b");
  });

  it("writes values short", () => {
    expect(cellText({ name: "code", kind: "text" }, `sha256:${"ab".repeat(32)}`)).toBe(
      "abababababab",
    );
    expect(cellText({ name: "param.flag", kind: "any" }, false)).toBe("no");
    expect(cellText({ name: "metric.loss", kind: "number" }, null)).toBe("");
    expect(cellText({ name: "id", kind: "text" }, "tabcdefghijk")).toBe("tabcdefg");
  });
});
