import { expect, test } from "vitest";
import { parseInlines, parseMarkdown } from "./parseMarkdown";

test("headings, lists, code and paragraphs are recognized", () => {
  const kinds = parseMarkdown(
    "# One\n\nwords\nand more\n\n- a\n- b\n\n```\nx = 1\n```\n> said",
  ).map((block) => block.kind);
  expect(kinds).toEqual(["heading", "paragraph", "list", "code", "quote"]);
});

test("HTML stays text, and a link that runs something stays text", () => {
  expect(parseInlines("<script>alert(1)</script>")).toEqual([
    { kind: "text", text: "<script>alert(1)</script>" },
  ]);
  expect(parseInlines("[x](javascript:alert(1))").every((part) => part.kind === "text")).toBe(true);
  expect(parseInlines("[x](https://example.org)")).toEqual([
    { kind: "link", text: "x", address: "https://example.org" },
  ]);
});

test("bold, slanted and code within a line", () => {
  expect(parseInlines("a **b** *c* `d`").map((part) => part.kind)).toEqual([
    "text",
    "strong",
    "text",
    "em",
    "text",
    "code",
  ]);
});
