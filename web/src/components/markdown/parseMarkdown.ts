export type Inline =
  | { kind: "text" | "code" | "strong" | "em"; text: string }
  | { kind: "link"; text: string; address: string };
export type Block =
  | { kind: "heading"; level: number; inlines: Inline[] }
  | { kind: "paragraph" | "quote"; inlines: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "code"; text: string }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const FRONT_MATTER = /^---\n[\s\S]*?\n---(?:\n|$)/;
const TABLE_LINE = /^\|.*\|\s*$/;
const RULE_LINE = /^\|[\s:|-]+\|\s*$/;
const ESCAPED = /\\([\\`*_{}[\]<>#|!~])/g;
// An escaped character counts as text wherever it stands.
const INLINE =
  /\\[\\`*_{}[\]<>#|!~]|`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Basic Markdown as data; HTML in it stays text, and the header that hubs read is left out. */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.replace(FRONT_MATTER, "").split("\n");
  while (lines.length) blocks.push(...takeBlock(lines));
  return blocks;
}

function takeBlock(lines: string[]): Block[] {
  const line = lines.shift() ?? "";
  const heading = line.match(/^(#{1,6})\s+(.*)$/);
  if (!line.trim()) return [];
  if (line.startsWith("```")) {
    const code = takeWhile(lines, (next) => !next.startsWith("```"));
    lines.shift();
    return [{ kind: "code", text: code.join("\n") }];
  }
  if (heading) {
    return [
      { kind: "heading", level: heading[1]?.length ?? 1, inlines: parseInlines(heading[2] ?? "") },
    ];
  }
  if (TABLE_LINE.test(line) && RULE_LINE.test(lines[0] ?? "")) {
    lines.shift();
    const rows = takeWhile(lines, (next) => TABLE_LINE.test(next));
    return [{ kind: "table", head: cellsOf(line), rows: rows.map(cellsOf) }];
  }
  if (ITEM.test(line)) {
    const items = [line, ...takeWhile(lines, (next) => ITEM.test(next))];
    const inlines = items.map((item) => parseInlines(item.match(ITEM)?.[2] ?? ""));
    return [{ kind: "list", ordered: /^\s*\d/.test(line), items: inlines }];
  }
  const kind = line.startsWith(">") ? "quote" : "paragraph";
  const more = takeWhile(
    lines,
    (next) => next.trim() !== "" && !/^(#{1,6}\s|```)/.test(next) && !ITEM.test(next),
  );
  const content = [line, ...more].map((text) => text.replace(/^>\s?/, "")).join(" ");
  return [{ kind, inlines: parseInlines(content) }];
}

/** Between the bars, except escaped ones. */
function cellsOf(line: string): Inline[][] {
  const inner = line.trim().slice(1, -1);
  return inner.split(/(?<!\\)\|/).map((cell) => parseInlines(cell.trim()));
}

function takeWhile(lines: string[], matches: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !matches(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

export function parseInlines(text: string): Inline[] {
  const inlines: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) inlines.push({ kind: "text", text: text.slice(from, match.index) });
    inlines.push(inlineOf(match));
    from = match.index + match[0].length;
  }
  if (from < text.length) inlines.push({ kind: "text", text: text.slice(from) });
  return inlines;
}

function inlineOf([all, code, strong, strong2, em, label, address]: RegExpMatchArray): Inline {
  if (all?.startsWith("\\")) return { kind: "text", text: all.replace(ESCAPED, "$1") };
  if (code) return { kind: "code", text: code };
  if (strong || strong2) return { kind: "strong", text: strong ?? strong2 ?? "" };
  if (em) return { kind: "em", text: em };
  if (label && address && /^https?:\/\//i.test(address))
    return { kind: "link", text: label, address };
  return { kind: "text", text: label ?? all ?? "" };
}
