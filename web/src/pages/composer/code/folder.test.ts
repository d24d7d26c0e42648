import { expect, test } from "vitest";
import { folderName, notebooksOf } from "./folder";

const file = {} as File;
const picked = ["mine/train.py", "mine/a.ipynb", "mine/.ipynb_checkpoints/a.ipynb"].map((path) => ({
  path,
  file,
}));

test("a folder is called by its own name", () => {
  expect(folderName(picked)).toBe("mine");
});

test("notebooks are found by their place in the folder, without the editor's copies", () => {
  expect(notebooksOf(picked)).toEqual(["a.ipynb"]);
});
