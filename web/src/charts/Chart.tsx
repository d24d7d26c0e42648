import { useComputedColorScheme } from "@mantine/core";
import { type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import classes from "./Chart.module.css";
import type { Curve, Range } from "./curves";
import { type Engine, init } from "./engine";
import { type ChartStyle, chartOptions, tooltipContent } from "./option";
import { useRange } from "./useRange";

export type ChartHandle = { png: () => string };

type ChartProps = Omit<ChartStyle, "dark"> & {
  /** Describes the chart for screen readers. */
  label: string;
  curves: Curve[];
  height?: number;
  /** Without it, the chart is a plain image that cannot be zoomed. */
  onRange?: (range: Range | null) => void;
  handle?: Ref<ChartHandle>;
};

/** Curves on a canvas. Drag or use + - ← → to zoom and move; double-click or 0 shows everything. */
export function Chart({ label, curves, height = 240, onRange, handle, ...settings }: ChartProps) {
  const dark = useComputedColorScheme("light") === "dark";
  const { axis, log, smooth, range, fromZero, axisNames, unit } = settings;
  const look = useMemo(
    () => ({ axis, log, smooth, range, fromZero, axisNames, unit, dark }),
    [axis, log, smooth, range, fromZero, axisNames, unit, dark],
  );
  const frame = useRef<HTMLDivElement>(null);
  const { engine, drawn, setDrawn } = useEngine(frame);
  const latest = useRef({ curves, look });
  latest.current = { curves, look };

  useEffect(() => {
    if (!engine) return;
    const option = chartOptions(curves, look);
    const tooltip = { ...(option.tooltip as object), formatter: tooltipFormatter(latest) };
    engine.setOption({ ...option, tooltip }, { notMerge: true });
    setDrawn(true);
  }, [engine, curves, look, setDrawn]);

  useImperativeHandle(handle, () => ({
    png: () =>
      engine?.getDataURL({ pixelRatio: 2, backgroundColor: dark ? "#1a1b1e" : "#ffffff" }) ?? "",
  }));
  const { selection, events } = useRange(engine, frame, range, onRange ?? noop);
  const interaction = onRange
    ? { role: "group", "aria-roledescription": "chart", tabIndex: 0, ...events }
    : { role: "img" };
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: its role is among its manners
    <div
      className={classes.chart}
      style={{ height }}
      aria-label={label}
      data-chart={drawn ? "drawn" : "empty"}
      {...interaction}
    >
      <div ref={frame} className={classes.canvas} />
      {selection && (
        <div
          className={classes.selection}
          style={{ left: selection.left, width: selection.width }}
        />
      )}
    </div>
  );
}

const noop = () => undefined;

type Latest = React.RefObject<{ curves: Curve[]; look: ChartStyle }>;

function tooltipFormatter(latest: Latest) {
  return (items: { axisValue?: number; value?: [number, number] }[]) => {
    const { curves, look } = latest.current;
    const x = items[0]?.axisValue ?? items[0]?.value?.[0] ?? 0;
    return tooltipContent(curves, look, Number(x));
  };
}

function useEngine(frame: React.RefObject<HTMLDivElement | null>) {
  const [engine, setEngine] = useState<Engine | null>(null);
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    if (!frame.current) return;
    const chart = init(frame.current, null, { renderer: "canvas" });
    setEngine(chart);
    const observer = new ResizeObserver(() => chart.resize());
    observer.observe(frame.current);
    return () => {
      observer.disconnect();
      chart.dispose();
      setEngine(null);
    };
  }, [frame]);
  return { engine, drawn, setDrawn };
}
