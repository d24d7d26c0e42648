import { expect, test } from "vitest";
import { diffLineKind } from "./diff";

test("the lines of a diff are recognized by how they start", () => {
  expect(["+a", "-a", " a", "@@ -1 +1 @@", "+++ b/x", "diff --git a b"].map(diffLineKind)).toEqual([
    "added",
    "removed",
    undefined,
    "place",
    "head",
    "head",
  ]);
});
