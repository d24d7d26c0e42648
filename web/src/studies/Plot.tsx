import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Engine, init, type Option } from "./plotEngine";

export type Colors = { text: string; line: string; main: string; weak: string };

type PlotProps = {
  /** Describes the chart for screen readers. */
  label: string;
  option: (colors: Colors) => Option;
  height?: number;
  /** Called with the engine after it was made, to listen to its events. */
  onReady?: (engine: Engine) => void;
};

/** A chart of a study on a canvas. */
export default function Plot({ label, option, height = 260, onReady }: PlotProps) {
  const dark = useComputedColorScheme("light") === "dark";
  const colors = useMemo(() => colorsOf(dark), [dark]);
  const frame = useRef<HTMLDivElement>(null);
  const [engine, setEngine] = useState<Engine | null>(null);
  const [drawn, setDrawn] = useState(false);
  const ready = useRef(onReady);
  ready.current = onReady;
  useEffect(() => {
    if (!frame.current) return;
    const chart = init(frame.current, null, { renderer: "canvas" });
    const observer = new ResizeObserver(() => chart.resize());
    observer.observe(frame.current);
    ready.current?.(chart);
    setEngine(chart);
    return () => {
      observer.disconnect();
      chart.dispose();
      setEngine(null);
    };
  }, []);
  useEffect(() => {
    if (!engine) return;
    engine.setOption({ ...BASE, ...option(colors) }, { notMerge: true });
    setDrawn(true);
  }, [engine, option, colors]);
  return (
    <div role="img" aria-label={label} data-chart={drawn ? "drawn" : "empty"} style={{ height }}>
      <div ref={frame} style={{ height: "100%", width: "100%" }} />
    </div>
  );
}

const BASE: Option = {
  animation: false,
  textStyle: { fontFamily: '"Inter Variable", system-ui, sans-serif' },
};

function colorsOf(dark: boolean): Colors {
  return dark
    ? { text: "#c1c2c5", line: "#373a40", main: "#4dabf7", weak: "rgba(77,171,247,0.25)" }
    : { text: "#495057", line: "#e9ecef", main: "#1c7ed6", weak: "rgba(28,126,214,0.22)" };
}
