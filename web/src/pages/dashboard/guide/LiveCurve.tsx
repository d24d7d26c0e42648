import { formatNumber } from "~/lib/format";
import { type Point, polyline, range } from "./curve";
import classes from "./Guide.module.css";

/** A small curve; the task page has the full charts. */
export function LiveCurve({ name, points }: { name?: string; points: Point[] }) {
  const last = points.at(-1);
  const { low, high } = range(points);
  const description = last
    ? `${name} ${formatNumber(last.value)} at step ${last.step}`
    : "No values yet";
  return (
    <div className={classes.chart}>
      <svg
        className={classes.curve}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={description}
      >
        <line x1="0" x2="100" y1="10" y2="10" />
        <line x1="0" x2="100" y1="90" y2="90" />
        {points.length > 0 && <polyline points={polyline(points)} />}
      </svg>
      {last ? (
        <>
          <span className={classes.top}>
            {name} {formatNumber(high)}
          </span>
          <span className={classes.bottom}>
            {formatNumber(low)}, step {last.step}
          </span>
        </>
      ) : (
        <span className={classes.waiting}>The curve appears after the first epoch</span>
      )}
    </div>
  );
}
