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

test("a table has cells, and a header for hubs is left out", () => {
  const [table, ...rest] = parseMarkdown(
    '---\nlicense: "mit"\n---\n| a | b |\n|---|---|\n| 1 | x\\|y |\n| `c` | 2 |\n',
  );
  expect(rest).toEqual([]);
  expect(table).toMatchObject({ kind: "table" });
  if (table?.kind !== "table") throw new Error("not a table");
  expect(table.head.map(textOf)).toEqual(["a", "b"]);
  expect(table.rows.map((row) => row.map(textOf))).toEqual([
    ["1", "x|y"],
    ["c", "2"],
  ]);
});

test("escaped markup stays text", () => {
  expect(textOf(parseInlines("\\*not\\* \\<b\\> \\[x\\](http://a)"))).toBe(
    "*not* <b> [x](http://a)",
  );
  expect(parseInlines("\\*not\\*").every((part) => part.kind === "text")).toBe(true);
});

function textOf(inlines: ReturnType<typeof parseInlines>): string {
  return inlines.map((part) => part.text).join("");
}
