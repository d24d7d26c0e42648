import { expect, test } from "vitest";
import { foldersOf } from "./browsePath";

test("the way to a folder has a step for each part of its path", () => {
  expect(foldersOf("/scratch/ada/era5")).toEqual([
    { name: "scratch", path: "/scratch" },
    { name: "ada", path: "/scratch/ada" },
    { name: "era5", path: "/scratch/ada/era5" },
  ]);
  expect(foldersOf("")).toEqual([]);
});
