import { describe, expect, it } from "vitest";
import { nextSort, queryOf, runsSearch, searchOfView, viewQueryOf } from "./search";

describe("the address of the table of runs", () => {
  it("has a default choice of columns", () => {
    expect(queryOf({}).column).toContain("state");
  });

  it("comes back from a saved view as it was", () => {
    const search = { columns: "name\nparam.lr", filters: "state=failed", sort: "-best.acc" };
    expect(searchOfView(viewQueryOf(search), "")).toEqual(search);
    expect(searchOfView({ sort: "name" }, "p1")).toEqual({ sort: "name", project: "p1" });
  });

  it("drops what it does not know", () => {
    expect(runsSearch({ columns: "name", evil: 1, sort: "" })).toEqual({ columns: "name" });
  });

  it("sorts up, down, not at all", () => {
    expect(nextSort([], "name")).toEqual(["name"]);
    expect(nextSort(["name"], "name")).toEqual(["-name"]);
    expect(nextSort(["-name"], "name")).toEqual([]);
  });
});
