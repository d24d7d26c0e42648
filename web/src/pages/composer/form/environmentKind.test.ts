import { expect, test } from "vitest";
import { keptOf, kindOf } from "./environmentKind";

test("what is written says which way it is", () => {
  expect(kindOf(undefined)).toBe("none");
  expect(kindOf({ variables: { A: "1" } })).toBe("none");
  expect(kindOf({ requirements: ["torch"] })).toBe("packages");
  expect(kindOf({ requirements: ["torch"], base: "docker://ubuntu" })).toBe("own");
  expect(kindOf("greeter")).toBe("image");
});

test("another way keeps what has a place there", () => {
  const own = { base: "x", requirements: ["torch"], variables: { A: "1" } };
  expect(keptOf(own, "packages")).toEqual({ requirements: ["torch"], variables: { A: "1" } });
  expect(keptOf(own, "none")).toEqual({ variables: { A: "1" } });
  expect(keptOf(own, "own")).toEqual(own);
  expect(keptOf(own, "image")).toBeUndefined();
  expect(keptOf("greeter", "packages")).toBeUndefined();
});
