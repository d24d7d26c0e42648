import { expect, test } from "vitest";
import { FRAMEWORKS, HARDWARE, withStarter } from "./starters";

test("a starter fills in base, packages and accelerator", () => {
  const made = withStarter({ requirements: ["numpy"] }, "pytorch", "cuda");
  expect(made.base).toBe("docker://python:3.12-slim");
  expect(made.accelerator).toBe("cuda-12.8");
  expect(made.requirements).toEqual(["torch", "numpy"]);
});

test("another starter replaces what the first filled in, and keeps the rest", () => {
  const first = withStarter({ requirements: ["numpy"], python: "3.12" }, "pytorch", "cuda");
  const second = withStarter(first, "jax", "cpu");
  expect(second.requirements).toEqual(["jax", "numpy"]);
  expect(second.accelerator).toBeUndefined();
  expect(second.python).toBe("3.12");
});

test("every framework has a starter for all hardware", () => {
  for (const { value: framework } of FRAMEWORKS)
    for (const { value: hardware } of HARDWARE)
      expect(withStarter({}, framework, hardware).base).toMatch(/^docker:\/\//);
});
