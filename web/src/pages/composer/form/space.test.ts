import { describe, expect, it } from "vitest";
import { readDimension, showDimension } from "./space";

describe("a dimension in one field", () => {
  it.each([
    ["log 1e-5..0.1", { log: [1e-5, 0.1] }],
    ["int 1..6", { int: [1, 6] }],
    ["0..1", { float: [0, 1] }],
    ["-1 to 1", { float: [-1, 1] }],
    ["32, 64", { choice: [32, 64] }],
    ["adam, sgd", { choice: ["adam", "sgd"] }],
  ])("reads %s", (text, expected) => {
    expect(readDimension(text)).toEqual(expected);
  });

  it("shows what it read", () => {
    for (const text of ["int 1..6", "0..1", "32, 64", "adam, sgd"]) {
      expect(showDimension(readDimension(text))).toBe(text);
    }
  });
});
