import { expect, test } from "vitest";
import { markMatches, partsOf, plainText, visibleLine } from "./ansi";

test("a progress bar shows as its last state", () => {
  expect(visibleLine("10%|#\r50%|##\r100%|###")).toBe("100%|###");
  expect(visibleLine("done\r")).toBe("done");
});

test("colours become classes, and the text around them stays text", () => {
  expect(partsOf("\x1b[1;31mbad\x1b[0m <b>not bold</b>")).toEqual([
    { text: "bad", className: "bold ansi-red-fg", color: undefined, background: undefined },
    { text: " <b>not bold</b>", className: "", color: undefined, background: undefined },
  ]);
});

test("the colours of a 256-colour terminal are computed", () => {
  expect(partsOf("\x1b[38;5;208mx")[0]?.color).toBe("rgb(255, 135, 0)");
  expect(partsOf("\x1b[48;2;1;2;3mx")[0]?.background).toBe("rgb(1, 2, 3)");
});

test("cursor moves, titles and other control characters leave no trace", () => {
  expect(plainText("\x1b]0;title\x07a\x1b[2K\x1b[?25lb\x1b[32mc\x1b[0m\x00\x08d")).toBe("abcd");
  expect(partsOf("\x1b[2Kab\x1b(B")).toEqual([{ text: "ab", className: "" }]);
});

test("what is searched for is marked, whatever its case", () => {
  const pieces = markMatches(partsOf("Loss and loss"), "LOSS");
  expect(pieces.map((piece) => [piece.text, piece.isMatch])).toEqual([
    ["Loss", true],
    [" and ", false],
    ["loss", true],
  ]);
  expect(markMatches(partsOf(""), "x")).toHaveLength(1);
});
