import classes from "./Sparkline.module.css";

const WIDTH = 100;
const HEIGHT = 28;
const EDGE = 2;

/** A curve the size of a word. Its value is written beside it. */
export function Sparkline({ values }: { values: number[] }) {
  if (values.length < 2) return null;
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="presentation"
    >
      <title>Main curve</title>
      <polyline points={sparkPoints(values)} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

export function sparkPoints(values: number[]): string {
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const step = WIDTH / Math.max(1, values.length - 1);
  return values
    .map((value, n) => {
      const y = HEIGHT - EDGE - ((value - low) / span) * (HEIGHT - 2 * EDGE);
      return `${(n * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}
