import { expect, it } from "vitest";
import { addCommand, shellQuote } from "./addCommand";

it("writes the line that adds a cluster", () => {
  expect(addCommand("delta", "me@login.delta.edu")).toBe(
    "diamond endpoint add delta --ssh me@login.delta.edu",
  );
});

it("keeps a word with blanks, quotes or dollars one word", () => {
  expect(shellQuote("a b")).toBe("'a b'");
  expect(shellQuote("it's")).toBe(`'it'\\''s'`);
  expect(shellQuote("$(id)")).toBe("'$(id)'");
});
