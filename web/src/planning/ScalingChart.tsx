import { lazy, Suspense, useMemo } from "react";
import { SkeletonLines } from "~/components/SkeletonLines";
import classes from "./Scale.module.css";
import { type Scale, scalingCurves, scalingDescription } from "./scaling";

// Charts are larger than the rest of a page.
const Chart = lazy(() => import("~/charts/Chart").then(({ Chart }) => ({ default: Chart })));

/** Throughput by number of nodes, once there are two to compare. */
export function ScalingChart({ scale }: { scale: Scale }) {
  const curves = useMemo(() => scalingCurves(scale), [scale]);
  const axisNames = useMemo(() => ({ x: "Nodes", y: `${scale.unit} per second` }), [scale.unit]);
  if (!curves.length) return null;
  return (
    <figure className={classes.figure}>
      <Suspense fallback={<SkeletonLines count={3} />}>
        <Chart
          label={scalingDescription(scale)}
          curves={curves}
          axis="step"
          log={false}
          smooth={0}
          range={null}
          fromZero
          axisNames={axisNames}
          height={220}
        />
      </Suspense>
      <figcaption className={classes.keys}>
        {curves.map(({ key, label, color, dashed }) => (
          <span key={key} className={classes.key}>
            <svg width={26} height={10} aria-hidden="true">
              <line x1={0} x2={26} y1={5} y2={5} {...lineProps(color, dashed)} />
              {!dashed && <circle cx={13} cy={5} r={4} fill={color} />}
            </svg>
            {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function lineProps(stroke: string, dashed = false) {
  return { stroke, strokeWidth: 2, strokeDasharray: dashed ? "5 4" : undefined };
}
