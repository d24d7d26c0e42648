import { expect, test } from "vitest";
import { isFiltered, statesOf, tasksSearch, toggleState } from "./search";

test("an address is read for what the page knows, and the rest is left aside", () => {
  const read = tasksSearch({ state: "failed,running", days: "7", search: 42, color: "red" });
  expect(read).toEqual({ state: "failed,running", days: 7, search: "42" });
  expect(tasksSearch({ days: "soon", endpoint: "" })).toEqual({});
});

test("a state chip adds its state and takes it away again", () => {
  const both = toggleState({ state: "failed" }, "running");
  expect(statesOf(both)).toEqual(["failed", "running"]);
  expect(toggleState(toggleState(both, "failed"), "running").state).toBeUndefined();
});

test("an order alone is not a filter", () => {
  expect(isFiltered({ sort: "name" })).toBe(false);
  expect(isFiltered({ sort: "name", endpoint: "delta" })).toBe(true);
});
