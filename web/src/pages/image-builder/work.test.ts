import { expect, test } from "vitest";
import { emptyBuild, locationOf, requestOf, stepOf } from "./work";

test("a partition is part of the place, on an endpoint that is named", () => {
  expect(locationOf({ ...emptyBuild(), endpoint: "alpha", partition: "gpu" })).toBe("alpha/gpu");
  expect(locationOf({ ...emptyBuild(), partition: "gpu" })).toBe("auto");
});

test("what was left empty is left to the service", () => {
  const body = requestOf({ ...emptyBuild({ python: "3.12" }), memory: " 8GB " });
  expect(body.environment).toEqual({ python: "3.12" });
  expect(body.account).toBe("auto");
  expect(body.resources).toEqual({ memory: "8GB" });
});

test("a fault leads to the step that can fix it", () => {
  expect(stepOf("requirements.2")).toBe("dependencies");
  expect(stepOf("resources.memory")).toBe("endpoint");
  expect(stepOf("labels")).toBe("review");
});
