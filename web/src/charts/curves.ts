/** One point: [step, time, value]; a value of NaN or infinity is null. */
export type Point = [number | null, number | null, number | null];
export type Curve = {
  key: string;
  label: string;
  color: string;
  points: Point[];
  /** Calculated, not measured. */
  dashed?: boolean;
};
export type Axis = "step" | "time";
export type Pair = [x: number, y: number | null];
export type Range = { from: number; to: number };

/** Distinguishable colours, readable on white and on near black. */
const COLOURS = [
  "#1c7ed6",
  "#e8590c",
  "#2f9e44",
  "#c2255c",
  "#7048e8",
  "#0c8599",
  "#b08900",
  "#e03131",
  "#66a80f",
  "#a61e4d",
  "#4263eb",
  "#099268",
];

export function colourOf(n: number): string {
  return COLOURS[n % COLOURS.length] as string;
}

/** A curve's points along an axis; time counts from the curve's first point. */
export function pairsOf(points: Point[], axis: Axis): Pair[] {
  const begin = points.find(([, time]) => time !== null)?.[1] ?? 0;
  const pairs: Pair[] = [];
  for (const [step, time, value] of points) {
    const x = axis === "step" ? step : time === null ? null : time - begin;
    if (x !== null) pairs.push([x, value]);
  }
  return pairs;
}

/**
 * Exponential moving average; `weight` of the past is between 0 and 1.
 *
 * Bias-corrected, so the first values are not pulled towards zero. Missing values are skipped.
 */
export function smoothed(pairs: Pair[], weight: number): Pair[] {
  let mean = 0;
  let seen = 0;
  return pairs.map(([x, y]) => {
    if (y === null) return [x, null];
    seen += 1;
    mean = weight * mean + (1 - weight) * y;
    return [x, mean / (1 - weight ** seen)];
  });
}

/** A flat array, which ECharts uses without copying. Missing values are NaN. */
export function packed(pairs: Pair[]): Float64Array {
  const numbers = new Float64Array(2 * pairs.length);
  pairs.forEach(([x, y], n) => {
    numbers[2 * n] = x;
    numbers[2 * n + 1] = y ?? Number.NaN;
  });
  return numbers;
}

/** Points whose value is not a number, each at the height of the previous value. */
export function invalidPoints(pairs: Pair[]): [number, number][] {
  let height = pairs.find(([, y]) => y !== null)?.[1] ?? 0;
  const places: [number, number][] = [];
  for (const [x, y] of pairs) {
    if (y === null) places.push([x, height]);
    else height = y;
  }
  return places;
}

/** The steps between two points in time, over all curves. The service refines by step. */
export function stepsWithin(curves: Pick<Curve, "points">[], range: Range): Range | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { points } of curves) {
    const begin = points.find(([, time]) => time !== null)?.[1] ?? 0;
    for (const [step, time] of points) {
      if (step === null || time === null) continue;
      if (time - begin >= range.from) from = Math.min(from, step);
      if (time - begin <= range.to) to = Math.max(to, step);
    }
  }
  return from <= to ? { from, to } : null;
}

/** The pair nearest to `x`; pairs are sorted by x. */
export function nearest(pairs: Pair[], x: number): Pair | undefined {
  let [low, high] = [0, pairs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pairs[middle] as Pair)[0] < x) low = middle + 1;
    else high = middle;
  }
  const [after, before] = [pairs[low], pairs[low - 1]];
  if (!after || !before) return after ?? before;
  return x - before[0] < after[0] - x ? before : after;
}

export function toCsv(curves: Curve[]): string {
  const rows = curves.flatMap(({ label, points }) =>
    points.map(([step, time, value]) =>
      [quoted(label), step ?? "", time ?? "", value ?? ""].join(","),
    ),
  );
  return `${["curve,step,time,value", ...rows].join("\n")}\n`;
}

/** Prevents a spreadsheet from running a label as a formula. */
function quoted(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
