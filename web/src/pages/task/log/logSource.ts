import type { Schemas } from "~/api/client";
import type { LogPiece } from "~/live/messages";
import type { Line, Place, Read } from "./LogWindow";
import {
  belongsTo,
  downloadUrl,
  endOffset,
  type LogSelection,
  readLines,
  searchLog,
} from "./logStreams";

type Lines = Schemas["LogLines"];
type Matches = Schemas["LogMatches"];

/** What a log pane shows: one log, or the logs of all attempts one after the other. */
export type LogSource = {
  key: string;
  stream: LogSelection["stream"];
  read: Read;
  search: (text: string, after: number) => Promise<Matches>;
  /** The new end, if this piece belongs to it. */
  endAfter: (piece: LogPiece) => number | null;
  download: string | null;
};

export type Part = LogSelection & { size: number; label: string };

export function singleLog(task: string, log: LogSelection): LogSource {
  return {
    key: `${log.attempt} ${log.run} ${log.rank} ${log.stream}`,
    stream: log.stream,
    read: (place) => readLines(task, log, place),
    search: (text, after) => searchLog(task, log, text, after),
    endAfter: (piece) => (belongsTo(piece, log) ? endOffset(piece) : null),
    download: downloadUrl(task, log),
  };
}

/** Byte 0 of each part is a line of its own that says which attempt begins. */
const HEAD = 1;

/** Logs one after the other, addressed by one offset; only the last one grows. */
export function joinedLogs(task: string, parts: Part[]): LogSource {
  const sizes = parts.map(({ size }) => size);
  const base = (n: number) => sizes.slice(0, n).reduce((sum, size) => sum + HEAD + size, 0);
  const last = parts.length - 1;
  return {
    key: parts.map(({ attempt, run }) => `${attempt}/${run}`).join(),
    stream: parts[0]?.stream ?? "stdout",
    read: joinedReader(parts, (n, place) => readLines(task, parts[n] as Part, place), sizes),
    search: (text, after) => searchParts(task, parts, text, after, base),
    endAfter: (piece) => {
      const log = parts[last];
      if (!log || !belongsTo(piece, log)) return null;
      return base(last) + HEAD + endOffset(piece);
    },
    download: null,
  };
}

export function joinedReader(
  parts: Pick<Part, "label">[],
  read: (part: number, place: Place) => Promise<Lines>,
  sizes: number[],
): Read {
  const base = (n: number) => sizes.slice(0, n).reduce((sum, size) => sum + HEAD + size, 0);
  const total = () => base(parts.length);
  const head = (n: number): Line => ({
    offset: base(n),
    length: HEAD,
    text: `──── ${parts[n]?.label} ────`,
    cut: false,
  });
  const readPart = async (n: number, place: Place) => {
    const page = await read(n, place);
    if (n === parts.length - 1) sizes[n] = Math.max(sizes[n] ?? 0, page.size);
    const items = page.items.map((line) => ({ ...line, offset: line.offset + base(n) + HEAD }));
    return { ...page, items };
  };
  const partAt = (offset: number) => {
    let n = 0;
    while (n < parts.length - 1 && offset >= base(n + 1)) n += 1;
    return n;
  };

  async function forward(offset: number, count: number): Promise<Lines> {
    let at = offset;
    let source: Lines["source"] = "kept";
    const items: Line[] = [];
    for (let n = partAt(at); n < parts.length && items.length < count; n += 1) {
      at = Math.max(at, base(n));
      if (at === base(n)) items.push(head(n));
      const within = Math.max(0, at - base(n) - HEAD);
      const page = await readPart(n, { offset: within, count: Math.max(1, count - items.length) });
      items.push(...page.items);
      source = page.source;
      at = base(n) + HEAD + page.next;
      if (page.next < (sizes[n] ?? 0)) break;
    }
    return { items, start: items[0]?.offset ?? at, next: at, size: total(), source };
  }

  async function backward(before: number, count: number): Promise<Lines> {
    let end = Math.min(before, total());
    let source: Lines["source"] = "kept";
    const items: Line[] = [];
    while (end > 0 && items.length < count) {
      const n = partAt(end - 1);
      const within = end - base(n) - HEAD;
      if (within <= 0) {
        items.unshift(head(n));
        end = base(n);
        continue;
      }
      const page = await readPart(n, { before: within, count: count - items.length });
      items.unshift(...page.items);
      source = page.source;
      end = base(n) + HEAD + (page.items.length ? page.start : 0);
    }
    const next = items.length ? before : end;
    return { items, start: end, next, size: total(), source };
  }

  return async ({ offset, before, count }) => {
    if (before !== undefined) return backward(before, count);
    const from = offset ?? 0;
    if (from >= 0) return forward(from, count);
    // The end is only known from the last part itself.
    await readPart(parts.length - 1, { offset: -1, count: 1 });
    return forward(Math.max(0, total() + from), count);
  };
}

async function searchParts(
  task: string,
  parts: Part[],
  text: string,
  after: number,
  base: (n: number) => number,
): Promise<Matches> {
  let n = parts.findLastIndex((_, at) => base(at) <= after);
  let from = Math.max(0, after - base(n) - HEAD);
  const found: Matches = {
    items: [],
    next: null,
    complete: true,
    reason: "",
    searched_on: [],
    size: 0,
  };
  for (; n < parts.length; n += 1, from = 0) {
    const page = await searchLog(task, parts[n] as Part, text, from);
    const shift = base(n) + HEAD;
    found.items.push(
      ...page.items.map((match) => ({
        ...match,
        offset: match.offset + shift,
        at: match.at + shift,
      })),
    );
    found.complete &&= page.complete;
    found.reason ||= page.reason;
    found.searched_on = [...new Set([...found.searched_on, ...page.searched_on])];
    if (page.next !== null) return { ...found, next: shift + page.next };
  }
  return found;
}
