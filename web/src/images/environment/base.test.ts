import { expect, test } from "vitest";
import { baseKind } from "./base";

test("a base is shown the way it is written", () => {
  expect(baseKind("")).toBe("none");
  expect(baseKind("docker://ubuntu:24.04")).toBe("registry");
  expect(baseKind("ubuntu:24.04")).toBe("registry");
  expect(baseKind("oras://lab/greeter:1")).toBe("registry");
  expect(baseKind("rootfs:/tmp/base.tar")).toBe("file");
  expect(baseKind("/shared/base.sif")).toBe("file");
  expect(baseKind("image:sha256:1234")).toBe("mine");
});
