import type { Schemas } from "~/api/client";

export type Media = Schemas["LoggedMedia"];
export type MediaSeries = { name: string; kind: Media["kind"]; items: Media[] };

/** One entry for each name that was logged, its items by step. */
export function seriesOf(items: Media[]): MediaSeries[] {
  const series = new Map<string, MediaSeries>();
  for (const item of items) {
    const key = `${item.kind} ${item.source} ${item.name}`;
    const known = series.get(key) ?? { name: item.name, kind: item.kind, items: [] };
    known.items.push(item);
    series.set(key, known);
  }
  for (const { items } of series.values())
    items.sort((a, b) => (a.step ?? -1) - (b.step ?? -1) || a.modified - b.modified);
  return [...series.values()];
}

export type LoggedTable = { columns: string[]; rows: string[][] };

/** A table as W&B writes it: `{"columns": […], "data": [[…]]}`. Undefined for anything else. */
export function readTable(text: string, maxRows: number): LoggedTable | undefined {
  try {
    const { columns, data } = JSON.parse(text) as { columns?: unknown; data?: unknown };
    if (!Array.isArray(columns) || !Array.isArray(data)) return undefined;
    const rows = data.slice(0, maxRows).filter(Array.isArray);
    return { columns: columns.map(cell), rows: rows.map((row) => row.map(cell)) };
  } catch {
    return undefined;
  }
}

function cell(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
