import type { PreviewHistogram } from "~/datasets/api";
import classes from "./Preview.module.css";

const WIDTH = 96;
const HEIGHT = 28;

/** A small histogram with its lowest and highest number. */
export function Bars({ name, histogram }: { name: string; histogram: PreviewHistogram }) {
  const { counts, low, high } = histogram;
  const most = Math.max(...counts, 1);
  const step = WIDTH / Math.max(counts.length, 1);
  return (
    <div>
      <svg
        className={classes.bars}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Histogram of ${name}, from ${short(low)} to ${short(high)}`}
      >
        {counts.map((count, at) => {
          const height = count ? Math.max((count / most) * HEIGHT, 1) : 0;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
              key={at}
              x={at * step + 0.5}
              y={HEIGHT - height}
              width={Math.max(step - 1, 1)}
              height={height}
            />
          );
        })}
      </svg>
      <div className={classes.range} aria-hidden>
        <span>{short(low)}</span>
        <span>{short(high)}</span>
      </div>
    </div>
  );
}

function short(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e6
    ? value.toLocaleString()
    : String(Number(value.toPrecision(3)));
}
