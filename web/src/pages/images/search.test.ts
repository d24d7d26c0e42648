import { expect, test } from "vitest";
import { imageSearch } from "~/pages/image/search";
import { compareSearch } from "~/pages/image-compare/search";
import { imagesSearch } from "./search";

test("every view of the images has an address", () => {
  expect(imagesSearch({ search: "torch", endpoint: "alpha", dialog: "prune" })).toEqual({
    search: "torch",
    endpoint: "alpha",
    dialog: "prune",
  });
  expect(imageSearch({ tab: "contents" })).toEqual({ tab: "contents" });
  expect(compareSearch({ a: "one", b: 2 })).toEqual({ a: "one", b: "2" });
});

test("what means nothing is left out", () => {
  expect(imagesSearch({ search: "", dialog: "burn" })).toEqual({});
  expect(imageSearch({ tab: "overview" })).toEqual({});
});
