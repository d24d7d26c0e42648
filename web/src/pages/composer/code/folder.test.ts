import { expect, test } from "vitest";
import { folderName, notebooksOf, readIgnoreFiles } from "./folder";

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

test("ignore files are read wherever they are in the folder", async () => {
  const rules = { path: "mine/lib/.gitignore", file: new File(["*.log"], ".gitignore") };
  expect(await readIgnoreFiles([...picked, rules])).toEqual({ "lib/.gitignore": "*.log" });
});
