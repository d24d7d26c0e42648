import { formatNumber } from "~/lib/format";
import { valueText } from "~/lib/text";
import { shortProgress } from "../ProgressBar";
import type { MetricValues, Summary } from "../summaries";
import { bestOf } from "../summaries";

/** A column that people choose: `param:lr`, `last:loss`, `best:loss`, or one of the plain ones. */
export type ColumnKey = string;
export const PLAIN_COLUMNS: Record<string, string> = { tags: "Tags", progress: "Progress" };

export type ColumnGroup = { group: string; items: { value: ColumnKey; label: string }[] };

/** What can be shown of these tasks. */
export function columnChoices(summaries: Summary[]): ColumnGroup[] {
  const params = new Set(summaries.flatMap(({ params }) => Object.keys(params)));
  const metrics = new Map(
    summaries.flatMap(({ values }) => values.map((value) => [value.name, value.best] as const)),
  );
  const names = [...metrics.keys()].sort();
  const best = names.filter((name) => metrics.get(name));
  const groups = [
    { group: "Task", items: Object.keys(PLAIN_COLUMNS) },
    { group: "Parameters", items: [...params].sort().map((name) => `param:${name}`) },
    { group: "Last value", items: names.map((name) => `last:${name}`) },
    { group: "Best value", items: best.map((name) => `best:${name}`) },
  ];
  return groups
    .filter(({ items }) => items.length)
    .map(({ group, items }) => ({
      group,
      items: items.map((value) => ({ value, label: columnLabel(value) })),
    }));
}

export function columnsOf(text: string | undefined): ColumnKey[] {
  return [...new Set(text?.split(",").map(decodeURIComponent).filter(isColumn))];
}

export function columnsText(columns: ColumnKey[]): string | undefined {
  return (
    columns.map((column) => column.replaceAll("%", "%25").replaceAll(",", "%2C")).join() ||
    undefined
  );
}

export function columnLabel(column: ColumnKey): string {
  const [kind, name] = partsOf(column);
  if (kind === "best") return `best ${name}`;
  return PLAIN_COLUMNS[column] ?? name;
}

/** What a cell shows; empty where the task has no such value. */
export function columnText(column: ColumnKey, summary: Summary | undefined): string {
  if (column === "progress") return summary?.progress ? shortProgress(summary.progress) : "";
  const value = columnValue(column, summary);
  return typeof value === "number"
    ? formatNumber(value)
    : value === undefined
      ? ""
      : valueText(value);
}

/** The value itself, for sorting and export. */
export function columnValue(column: ColumnKey, summary: Summary | undefined): unknown {
  const [kind, name] = partsOf(column);
  if (kind === "param") return summary?.params[name];
  const metric = summary?.values.find((values) => values.name === name);
  return metric && metricValue(kind, metric);
}

function metricValue(kind: string, metric: MetricValues): number | undefined {
  return kind === "best" ? bestOf(metric)?.value : metric.last;
}

function partsOf(column: ColumnKey): [string, string] {
  const at = column.indexOf(":");
  return [column.slice(0, Math.max(at, 0)), column.slice(at + 1)];
}

function isColumn(column: string): boolean {
  return column in PLAIN_COLUMNS || /^(param|last|best):./.test(column);
}
