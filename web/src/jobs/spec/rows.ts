import { isMapping } from "./draft";
import { type Cells, TYPED } from "./values";

/** One row of names and values; may be incomplete. */
export type Row = { id: number; name: string; value: string };

let lastId = 0;

export function emptyRow(): Row {
  lastId += 1;
  return { id: lastId, name: "", value: "" };
}

export function rowsOf(mapping: unknown, cells: Cells = TYPED): Row[] {
  if (!isMapping(mapping)) return [];
  return Object.entries(mapping).map(([name, value]) => ({
    ...emptyRow(),
    name,
    value: cells.show(value),
  }));
}

/** The mapping that the rows represent. Rows without a name are ignored. */
export function mappingOf(rows: Row[], cells: Cells = TYPED): Record<string, unknown> {
  const named = rows.filter((row) => row.name.trim());
  return Object.fromEntries(named.map((row) => [row.name.trim(), cells.read(row.value)]));
}

/** Names used in more than one row: only the last would count. */
export function repeatedNames(rows: Row[]): string[] {
  const names = rows.map((row) => row.name.trim()).filter(Boolean);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/** Whether the rows already represent the mapping, so that half-typed rows can stay. */
export function rowsMatch(rows: Row[], mapping: unknown, cells: Cells = TYPED): boolean {
  const expected = isMapping(mapping) ? mapping : {};
  return JSON.stringify(mappingOf(rows, cells)) === JSON.stringify(expected);
}
