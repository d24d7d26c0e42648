import { expect, test } from "vitest";
import { builderSearch } from "./search";

test("the address says which step is open and what the form began with", () => {
  expect(builderSearch({ step: "review", from: "greeter", tab: "yaml" })).toEqual({
    step: "review",
    from: "greeter",
    tab: "yaml",
  });
});

test("what every visit begins with needs no words, and nonsense is left out", () => {
  expect(builderSearch({ step: "endpoint", tab: "definition", from: "" })).toEqual({});
  expect(builderSearch({ step: "seven", tab: 3 })).toEqual({});
});
