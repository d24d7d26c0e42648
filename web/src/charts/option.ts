import { duration, formatNumber } from "~/lib/format";
import {
  type Axis,
  type Curve,
  invalidPoints,
  nearest,
  type Pair,
  packed,
  pairsOf,
  type Range,
  smoothed,
} from "./curves";
import type { Option } from "./engine";

export type ChartStyle = {
  axis: Axis;
  log: boolean;
  smooth: number;
  range: Range | null;
  /** The y axis starts at zero. */
  fromZero?: boolean;
  /** Names of the axes, for a few measured points that are marked individually. */
  axisNames?: { x: string; y: string };
  /** Of the values, written above the y axis. */
  unit?: string;
  dark: boolean;
};

/** The ECharts options of a chart. */
export function chartOptions(curves: Curve[], look: ChartStyle): Option {
  const textColor = look.dark ? "#c1c2c5" : "#495057";
  const grid = look.dark ? "#373a40" : "#e9ecef";
  return {
    animation: false,
    textStyle: { fontFamily: '"Inter Variable", system-ui, sans-serif' },
    grid: gridOf(look),
    xAxis: {
      type: "value",
      ...axisName(xName(look), textColor),
      ...MIDDLE,
      ...(look.axisNames && { minInterval: 1 }),
      min: look.range?.from ?? "dataMin",
      max: look.range?.to ?? "dataMax",
      axisLabel: { color: textColor, hideOverlap: true, formatter: formatX(look.axis) },
      axisLine: { onZero: false, lineStyle: { color: grid } },
      splitLine: { show: false },
    },
    yAxis: {
      type: look.log ? "log" : "value",
      scale: !look.fromZero,
      ...(yName(look) && { ...axisName(yName(look), textColor), nameGap: 10 }),
      axisLabel: { color: textColor, formatter: formatNumber },
      splitLine: { lineStyle: { color: grid } },
    },
    tooltip: {
      trigger: "axis",
      confine: true,
      backgroundColor: look.dark ? "#25262b" : "#ffffff",
      borderColor: grid,
      textStyle: { color: look.dark ? "#e9ecef" : "#212529", fontSize: 12 },
    },
    series: curves.flatMap((curve) => seriesOf(curve, look)),
  };
}

const MIDDLE = { nameLocation: "middle", nameGap: 26 };

function axisName(name: string, ink: string): Option {
  return { name, nameTextStyle: { color: ink, align: "left", fontSize: 12 } };
}

/** The axis names need extra room. */
function gridOf(look: ChartStyle): Option {
  return { left: 8, right: 16, top: yName(look) ? 30 : 12, bottom: 22, containLabel: true };
}

function yName({ axisNames, unit }: ChartStyle): string {
  return axisNames?.y ?? unit ?? "";
}

function xName({ axis, axisNames }: ChartStyle): string {
  if (axisNames) return axisNames.x;
  return axis === "step" ? "Step" : "Time since start";
}

function seriesOf(curve: Curve, look: ChartStyle): Option[] {
  const all = pairsOf(curve.points, look.axis);
  const pairs = drawable(all, look.log);
  const line = {
    type: "line",
    dimensions: ["x", "y"],
    showSymbol: pairs.length < 2 || (look.axisNames !== undefined && !curve.dashed),
    symbol: "circle",
    symbolSize: look.axisNames ? 8 : 4,
    connectNulls: false,
    color: curve.color,
  };
  const invalid = invalidPoints(all);
  const shown = look.smooth > 0 ? smoothed(pairs, look.smooth) : pairs;
  return [
    ...(look.smooth > 0
      ? [{ ...line, data: packed(pairs), silent: true, lineStyle: { width: 1, opacity: 0.22 } }]
      : []),
    { ...line, id: curve.key, data: packed(shown), lineStyle: lineStyleOf(curve) },
    ...(invalid.length ? [invalidPointSeries(invalid, look.dark)] : []),
  ];
}

function lineStyleOf({ dashed }: Curve): Option {
  return { width: 1.6, type: dashed ? "dashed" : "solid" };
}

/** Crosses, so that the meaning does not depend on colour. */
function invalidPointSeries(places: [number, number][], dark: boolean): Option {
  return {
    type: "scatter",
    z: 5,
    data: places,
    symbol: "path://M0,1 L1,0 L5,4 L9,0 L10,1 L6,5 L10,9 L9,10 L5,6 L1,10 L0,9 L4,5 Z",
    symbolSize: 10,
    color: dark ? "#ffffff" : "#a61e1e",
    silent: true,
    tooltip: { show: false },
  };
}

/** A log scale has no place for zero and negative values. */
function drawable(pairs: Pair[], log: boolean): Pair[] {
  return log ? pairs.map(([x, y]) => [x, y !== null && y > 0 ? y : null]) : pairs;
}

export function formatX(axis: Axis): (x: number) => string {
  return axis === "time" ? (x) => (x < 0.5 ? "0 s" : duration(x)) : (x) => x.toLocaleString();
}

/** The tooltip as DOM elements, so that curve names are never interpreted as HTML. */
export function tooltipContent(curves: Curve[], look: ChartStyle, x: number): HTMLElement {
  const box = document.createElement("div");
  const head = box.appendChild(document.createElement("b"));
  head.textContent = tooltipTitle(look, x);
  const lines = curves.map((curve) => ({
    curve,
    at: nearest(pairsOf(curve.points, look.axis), x),
  }));
  for (const { curve, at } of lines.slice(0, 20)) box.append(tooltipLine(curve, at));
  if (lines.length > 20) box.append(`and ${lines.length - 20} more`);
  return box;
}

function tooltipTitle({ axis, axisNames }: ChartStyle, x: number): string {
  if (axisNames) return `${axisNames.x}: ${formatX("step")(x)}`;
  return axis === "step" ? `step ${formatX("step")(x)}` : formatX("time")(x);
}

function tooltipLine(curve: Curve, at: Pair | undefined): HTMLElement {
  const line = document.createElement("div");
  const dot = line.appendChild(document.createElement("span"));
  dot.textContent = "● ";
  dot.style.color = curve.color;
  const value = at?.[1] ?? null;
  line.append(`${curve.label}: ${value === null ? "not a number" : formatNumber(value)}`);
  return line;
}
