import { expect, test } from "vitest";
import { readLaunch, writeLaunch } from "./launch";

test("a word is a word, and what says more is a mapping", () => {
  expect(readLaunch("mpi")).toEqual({ kind: "mpi", hang: undefined });
  expect(readLaunch({ kind: "torchrun", hang: "30m" })).toEqual({ kind: "torchrun", hang: "30m" });
  expect(readLaunch(undefined)).toEqual({ kind: "", hang: undefined });
});

test("it is written as short as it can be", () => {
  expect(writeLaunch({ kind: "mpi", hang: "" })).toBe("mpi");
  expect(writeLaunch({ kind: "", hang: undefined })).toBeUndefined();
  expect(writeLaunch({ kind: "", hang: "1h" })).toEqual({ hang: "1h" });
  expect(writeLaunch({ kind: "jax", hang: "1h" })).toEqual({ kind: "jax", hang: "1h" });
});
