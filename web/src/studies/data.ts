import type { Dimension, Study, TrialColumns } from "./api";

export type Point = [number, number];
export type Cell = string | number | boolean | null;

/** The best value after each trial, in the order in which trials ended. */
export function bestSoFar(trials: TrialColumns, maximize: boolean): Point[] {
  const done = completed(trials).sort((a, b) => (trials.ended[a] ?? 0) - (trials.ended[b] ?? 0));
  let best: number | null = null;
  return done.map((index, place) => {
    const value = trialValue(trials, index);
    if (best === null || (maximize ? value > best : value < best)) best = value;
    return [place + 1, best];
  });
}

/** The value of each complete trial, in the same order. */
export function valuesInOrder(trials: TrialColumns): Point[] {
  const done = completed(trials).sort((a, b) => (trials.ended[a] ?? 0) - (trials.ended[b] ?? 0));
  return done.map((index, place) => [place + 1, trialValue(trials, index)]);
}

/** Indexes of trials that have a value. */
export function completed(trials: TrialColumns): number[] {
  return trials.number.map((_, index) => index).filter((index) => isComplete(trials, index));
}

export function isComplete(trials: TrialColumns, index: number): boolean {
  return trials.state[index] === "complete" && trials.values[0]?.[index] != null;
}

export function trialValue(trials: TrialColumns, index: number, objective = 0): number {
  return trials.values[objective]?.[index] ?? 0;
}

/** One axis of the parallel coordinates. */
export type ParallelAxis = {
  name: string;
  type: "value" | "log" | "category";
  categories?: string[];
};

export function parallelAxes(study: Study, trials: TrialColumns): ParallelAxis[] {
  const params = Object.keys(trials.params).map((name) => axisOf(study.space, name, trials));
  const values = study.objectives.map(({ name }) => ({ name, type: "value" as const }));
  return [...params, ...values];
}

function axisOf(space: Dimension[], name: string, trials: TrialColumns): ParallelAxis {
  const dimension = space.find((each) => each.name === name);
  const column = trials.params[name] ?? [];
  const isNumeric = column.every((value) => value === null || typeof value === "number");
  if (dimension?.kind === "choice" || !isNumeric) {
    const known = dimension?.choices ?? [];
    const categories = [
      ...new Set([...known, ...column].filter((each) => each != null).map(String)),
    ];
    return { name, type: "category", categories };
  }
  return { name, type: dimension?.log ? "log" : "value" };
}

/** One line of the parallel coordinates for each complete trial; a param that a trial lacks is a gap. */
export function parallelLines(
  axes: ParallelAxis[],
  trials: TrialColumns,
  objectives: number,
): { indexes: number[]; lines: (string | number)[][] } {
  const indexes = completed(trials);
  const lines = indexes.map((index) =>
    axes.map((axis, place) => {
      const objective = place - (axes.length - objectives);
      if (objective >= 0) return trialValue(trials, index, objective);
      const value = trials.params[axis.name]?.[index];
      if (value == null) return "-";
      return axis.type === "category" ? String(value) : Number(value);
    }),
  );
  return { indexes, lines };
}

/** Value over one param: of complete trials that have it as a number. */
export function slice(trials: TrialColumns, name: string, objective = 0): Point[] {
  const column = trials.params[name] ?? [];
  return completed(trials)
    .filter((index) => typeof column[index] === "number")
    .map((index) => [Number(column[index]), trialValue(trials, index, objective)]);
}

export type Bin = { x: number; y: number; value: number; count: number };
const BINS = 20;

/** The mean value in each cell of a grid over two numeric params. */
export function contour(
  trials: TrialColumns,
  [nameX, nameY]: [string, string],
  [logX, logY]: [boolean, boolean],
): { cells: Bin[]; x: number[]; y: number[] } {
  const columnX = trials.params[nameX] ?? [];
  const columnY = trials.params[nameY] ?? [];
  const rows = completed(trials).filter(
    (index) => typeof columnX[index] === "number" && typeof columnY[index] === "number",
  );
  const x = edges(
    rows.map((index) => Number(columnX[index])),
    logX,
  );
  const y = edges(
    rows.map((index) => Number(columnY[index])),
    logY,
  );
  const sums = new Map<string, Bin>();
  for (const index of rows) {
    const at = { x: binOf(x, Number(columnX[index])), y: binOf(y, Number(columnY[index])) };
    const key = `${at.x}:${at.y}`;
    const cell = sums.get(key) ?? { ...at, value: 0, count: 0 };
    sums.set(key, { ...at, value: cell.value + trialValue(trials, index), count: cell.count + 1 });
  }
  const cells = [...sums.values()].map((cell) => ({ ...cell, value: cell.value / cell.count }));
  return { cells, x, y };
}

function edges(values: number[], log: boolean): number[] {
  if (!values.length) return [];
  const scale = log ? Math.log : (value: number) => value;
  const back = log ? Math.exp : (value: number) => value;
  const low = scale(Math.min(...values));
  const high = scale(Math.max(...values));
  return Array.from({ length: BINS + 1 }, (_, n) => back(low + ((high - low) * n) / BINS));
}

function binOf(limits: number[], value: number): number {
  const place = limits.findIndex((limit, n) => n > 0 && value <= limit);
  return place < 1 ? limits.length - 2 : place - 1;
}

export type Rung = { at: number; reached: number; stopped: number };

/** How many trials reached each rung, and how many of them ended there. */
export function rungs(study: Study, trials: TrialColumns): Rung[] {
  const { name, min, max, factor } = study.pruner;
  if (name !== "asha") return [];
  const found: Rung[] = [];
  for (let n = 0, at = min; at < max && n < 50; n += 1, at *= factor) {
    const reached = trials.rung.filter((count) => count > n).length;
    const stopped = trials.number.filter(
      (_, index) =>
        trials.rung[index] === n + 1 &&
        ["pruned", "stopping", "paused"].includes(trials.state[index] ?? ""),
    ).length;
    if (reached) found.push({ at, reached, stopped });
  }
  return found;
}

export function paramText(value: unknown): string {
  if (value == null) return "";
  if (typeof value === "number") return Number(value.toPrecision(5)).toString();
  return String(value);
}
