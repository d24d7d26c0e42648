import type { Timeline } from "~/pilots/api";

export type Point = { at: number; used: number };
type What = "cores" | "gpus";

/** How many cores or GPUs programs had, from the first allocation on: each value holds until the next point. */
export function amountsInUse({ allocations, items, now }: Timeline, what: What): Point[] {
  const changes = items.flatMap((item) => {
    const begin = item.started ?? item.claimed;
    const amount = item.parts.reduce((sum, part) => sum + part[what], 0);
    return amount
      ? [
          { at: begin, by: amount },
          { at: Math.max(begin, item.ended ?? now), by: -amount },
        ]
      : [];
  });
  changes.sort((one, other) => one.at - other.at || one.by - other.by);
  const points: Point[] = allocations.slice(0, 1).map(({ opened }) => ({ at: opened, used: 0 }));
  let used = 0;
  for (const { at, by } of changes) {
    used = Math.max(0, used + by);
    const last = points.at(-1);
    if (last && last.at === at) last.used = used;
    else points.push({ at, used });
  }
  if (points.length && now > (points.at(-1)?.at ?? 0)) points.push({ at: now, used });
  return points;
}

/** Of the largest allocation. */
export function mostOf({ allocations }: Timeline, what: What): number {
  return Math.max(
    0,
    ...allocations.map(({ nodes }) => nodes.reduce((sum, node) => sum + node[what], 0)),
  );
}

/** An SVG path of steps in a box of `width` by `height`; `most` is its top. */
export function stepPath(
  points: Point[],
  span: { from: number; to: number; most: number; width: number; height: number },
): string {
  const first = points[0];
  if (!first || span.to <= span.from || !span.most) return "";
  const x = (at: number) => ((at - span.from) / (span.to - span.from)) * span.width;
  const y = (used: number) => span.height * (1 - Math.min(1, used / span.most));
  const parts = [`M${x(first.at).toFixed(1)},${span.height}`];
  let last = 0;
  for (const { at, used } of points) {
    parts.push(`H${x(at).toFixed(1)}`);
    if (used !== last) parts.push(`V${y(used).toFixed(1)}`);
    last = used;
  }
  return `${parts.join("")}V${span.height}Z`;
}
