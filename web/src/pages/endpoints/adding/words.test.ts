import { expect, it } from "vitest";
import { addLine, shellWord } from "./words";

it("writes the line that adds a cluster", () => {
  expect(addLine("delta", "me@login.delta.edu")).toBe(
    "diamond endpoint add delta --ssh me@login.delta.edu",
  );
});

it("keeps a word with blanks, quotes or dollars one word", () => {
  expect(shellWord("a b")).toBe("'a b'");
  expect(shellWord("it's")).toBe(`'it'\\''s'`);
  expect(shellWord("$(id)")).toBe("'$(id)'");
});
