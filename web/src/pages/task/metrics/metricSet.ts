import type { Schemas, Task } from "~/api/client";
import type { Point } from "~/charts/curves";
import { valueText } from "~/lib/text";
import type { MetricPoint } from "~/live/messages";

/** Points as the client reads them: triples are lists to it. */
export type Series = Omit<Schemas["Series"], "points"> & { points: Point[] };
export type MetricSet = { items: Series[]; names: Schemas["MetricName"][] };
export type Names = MetricSet["names"];
export type LiveData = { task: string; points: MetricPoint[] }[];

/**
 * The curves with live points added, or null if they must be refetched.
 *
 * That is the case after a step back (the program resumed from a checkpoint), when a curve has
 * twice its points and must be thinned again, and for a new name.
 */
export function withLive(set: MetricSet, live: LiveData, mostPoints: number): MetricSet | null {
  const items = new Map(set.items.map((item) => [`${item.task} ${item.name}`, item]));
  for (const { task, points } of live) {
    for (const { name, step, time, value } of points) {
      const key = `${task} ${name}`;
      const item = items.get(key);
      if (!item) {
        if (isNamed(set.names, task, name)) continue;
        return null;
      }
      const last = item.points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
      if (step === last) continue;
      if (step < last || item.points.length > 2 * mostPoints) return null;
      items.set(key, { ...item, points: [...item.points, [step, time, value]] });
    }
  }
  return { ...set, items: [...items.values()] };
}

export function hasAllNames(names: Names, live: LiveData): boolean {
  return live.every(({ task, points }) => points.every(({ name }) => isNamed(names, task, name)));
}

function isNamed(names: Names, task: string, name: string): boolean {
  return names.some((metric) => metric.name === name && metric.tasks.includes(task));
}

/** The task's name, and what distinguishes it from the others on the chart. */
export function labelsOf(tasks: Task[]): Map<string, string> {
  const differing = differingParams(tasks);
  return new Map(
    tasks.map((task) => {
      const params = differing
        .filter((name) => task.order.params?.[name] !== undefined)
        .map((name) => `${name}=${valueText(task.order.params?.[name])}`);
      const difference = params.join(", ") || task.id.slice(0, 8);
      return [task.id, tasks.length > 1 ? `${task.name} (${difference})` : task.name];
    }),
  );
}

function differingParams(tasks: Task[]): string[] {
  const names = new Set(tasks.flatMap((task) => Object.keys(task.order.params ?? {})));
  return [...names].filter((name) => {
    const values = new Set(tasks.map((task) => JSON.stringify(task.order.params?.[name])));
    return values.size > 1;
  });
}

/** How many values are not a number. */
export function invalidCount(items: Series[]): number {
  return items.reduce(
    (sum, { points }) => sum + points.filter(([, , value]) => value === null).length,
    0,
  );
}
