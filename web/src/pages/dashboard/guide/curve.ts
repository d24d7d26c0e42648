import type { MetricPoint } from "~/live/messages";

export type Point = { step: number; value: number };

/** The metric people look at first. */
export function mainMetric(names: string[]): string | undefined {
  const preferred = ["accuracy", "acc", "score", "r2", "loss"];
  const matches = preferred.map((part) => names.find((name) => name.toLowerCase().includes(part)));
  return matches.find(Boolean) ?? names[0];
}

/** Points by name, sorted by step; duplicates count once. */
export function mergePoints(
  curves: Record<string, Point[]>,
  points: Pick<MetricPoint, "name" | "step" | "value">[],
): Record<string, Point[]> {
  const next = { ...curves };
  for (const { name, step, value } of points) {
    if (value === null || !Number.isFinite(value)) continue;
    const others = (next[name] ?? []).filter((point) => point.step !== step);
    next[name] = [...others, { step, value }].sort((a, b) => a.step - b.step);
  }
  return next;
}

/** Points as "x,y x,y" in a box of 100 by 100, y upwards. */
export function polyline(points: Point[]): string {
  const { low, high } = range(points);
  const first = points[0]?.step ?? 0;
  const width = (points.at(-1)?.step ?? 0) - first || 1;
  const height = high - low || 1;
  const position = ({ step, value }: Point) =>
    `${round(((step - first) / width) * 100)},${round(90 - ((value - low) / height) * 80)}`;
  return points.map(position).join(" ");
}

export function range(points: Point[]): { low: number; high: number } {
  const values = points.map((point) => point.value);
  return { low: Math.min(...values), high: Math.max(...values) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** "98.6 %" for a share, otherwise the plain number. */
export function formatMetric(name: string, value: number): string {
  const isShare = /acc/i.test(name) && value >= 0 && value <= 1;
  return isShare ? `${(value * 100).toFixed(1)} %` : Number(value.toPrecision(4)).toString();
}
