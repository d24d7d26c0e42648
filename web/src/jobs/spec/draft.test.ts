import { expect, test } from "vitest";
import { valueAt, withValue } from "./draft";

test("a value is found by its path, and nothing where the path ends early", () => {
  const spec = { resources: { nodes: 2 }, environment: "torch-cpu" };
  expect(valueAt(spec, "resources.nodes")).toBe(2);
  expect(valueAt(spec, "environment.python")).toBeUndefined();
});

test("a change leaves the original as it was and makes the mappings it needs", () => {
  const spec = { run: "true" };
  expect(withValue(spec, "resources.memory", "4GB")).toEqual({
    run: "true",
    resources: { memory: "4GB" },
  });
  expect(spec).toEqual({ run: "true" });
});

test("an emptied field goes, and the mapping that held nothing else", () => {
  const spec = { run: "true", resources: { nodes: 2 } };
  expect(withValue(spec, "resources.nodes", "")).toEqual({ run: "true" });
  expect(withValue({ environment: {} }, "environment", { variables: undefined })).toEqual({});
});

test("false and zero are values", () => {
  expect(withValue({}, "resources.gpus_per_node", 0)).toEqual({ resources: { gpus_per_node: 0 } });
  expect(withValue({}, "params", { shuffle: false })).toEqual({ params: { shuffle: false } });
});
