import { formatNumber } from "~/lib/format";
import type { Importances, Study, TrialColumns, TrialCurves } from "./api";
import {
  bestSoFar,
  completed,
  contour,
  type ParallelAxis,
  parallelAxes,
  parallelLines,
  slice,
  trialValue,
  valuesInOrder,
} from "./data";
import type { Colors } from "./Plot";
import type { Option } from "./plotEngine";

type ShownCurves = Pick<TrialCurves, "unit" | "objective"> & {
  curves: { number: number; state: string; points: (number | null)[][] }[];
};

const PALETTE = ["#fde725", "#5ec962", "#21918c", "#3b528b", "#440154"];
const LARGE = 2000;
/** Beyond this many points a chart draws them without outlines. */

export function bestOption(study: Study, trials: TrialColumns, colors: Colors): Option {
  const maximize = study.objectives[0]?.direction === "maximize";
  return {
    ...axes(colors, "Ended trials", study.objectives[0]?.name ?? ""),
    tooltip: { trigger: "axis", confine: true },
    series: [
      {
        name: "Trial",
        type: "scatter",
        data: valuesInOrder(trials),
        symbolSize: 6,
        itemStyle: { color: colors.main, opacity: 0.45 },
        large: true,
        largeThreshold: LARGE,
      },
      {
        name: "Best so far",
        type: "line",
        step: "end",
        showSymbol: false,
        data: bestSoFar(trials, maximize),
        lineStyle: { width: 2, color: colors.main },
        itemStyle: { color: colors.main },
      },
    ],
  };
}

export function parallelOption(study: Study, trials: TrialColumns, colors: Colors): Option {
  const names = parallelAxes(study, trials);
  const { lines } = parallelLines(names, trials, study.objectives.length);
  const values = completed(trials).map((index) => trialValue(trials, index));
  return {
    parallel: { left: 60, right: 60, top: 34, bottom: 20, parallelAxisDefault: axisStyle(colors) },
    parallelAxis: names.map((axis, dim) => ({ dim, ...parallelAxisOf(axis) })),
    visualMap: colorScale(values, names.length - study.objectives.length, study),
    series: [
      {
        type: "parallel",
        data: lines,
        lineStyle: { width: 1, opacity: lines.length > LARGE ? 0.12 : 0.45 },
        inactiveOpacity: 0.02,
        progressive: 500,
      },
    ],
  };
}

function parallelAxisOf({ name, type, categories }: ParallelAxis): Option {
  return { name, type, ...(categories && { data: categories }), scale: true };
}

function axisStyle(colors: Colors): Option {
  return {
    nameTextStyle: { color: colors.text, fontSize: 12 },
    axisLabel: { color: colors.text, formatter: labelText },
    axisLine: { lineStyle: { color: colors.text, opacity: 0.4 } },
    areaSelectStyle: { width: 16, opacity: 0.3, color: colors.main },
  };
}

function labelText(value: number | string): string {
  return typeof value === "number" ? formatNumber(value) : value;
}

/** The best values are bright. */
function colorScale(values: number[], dimension: number, study: Study): Option {
  const low = values.length ? values.reduce((a, b) => Math.min(a, b)) : 0;
  const high = values.length ? values.reduce((a, b) => Math.max(a, b)) : 1;
  const maximize = study.objectives[0]?.direction === "maximize";
  const color = maximize ? [...PALETTE].reverse() : PALETTE;
  return { show: false, min: low, max: high, dimension, inRange: { color } };
}

export function importanceOption({ items }: Importances, colors: Colors): Option {
  const rows = [...items].reverse();
  return {
    grid: { left: 8, right: 44, top: 8, bottom: 8, containLabel: true },
    xAxis: { type: "value", max: 1, show: false },
    yAxis: {
      type: "category",
      data: rows.map(({ name }) => name),
      axisLabel: { color: colors.text },
      axisLine: { show: false },
      axisTick: { show: false },
    },
    series: [
      {
        type: "bar",
        data: rows.map(({ share }) => share),
        barMaxWidth: 22,
        itemStyle: { color: colors.main, borderRadius: 3 },
        label: {
          show: true,
          position: "right",
          color: colors.text,
          formatter: ({ value }: { value: number }) => `${Math.round(value * 100)} %`,
        },
      },
    ],
  };
}

export function sliceOption(
  trials: TrialColumns,
  name: string,
  objective: string,
  log: boolean,
  colors: Colors,
): Option {
  return {
    ...axes(colors, name, objective, log),
    tooltip: { trigger: "item", confine: true },
    series: [
      {
        type: "scatter",
        data: slice(trials, name),
        symbolSize: 6,
        itemStyle: { color: colors.main, opacity: 0.55 },
        large: true,
        largeThreshold: LARGE,
      },
    ],
  };
}

export function contourOption(
  study: Study,
  trials: TrialColumns,
  names: [string, string],
  logs: [boolean, boolean],
  colors: Colors,
): Option {
  const { cells, x, y } = contour(trials, names, logs);
  const values = cells.map(({ value }) => value);
  const category = (limits: number[], name: string) => ({
    type: "category",
    name,
    nameLocation: "middle",
    nameGap: 28,
    nameTextStyle: { color: colors.text },
    data: limits.slice(0, -1).map((limit) => formatNumber(limit)),
    axisLabel: { color: colors.text, hideOverlap: true },
  });
  return {
    grid: { left: 24, right: 16, top: 12, bottom: 30, containLabel: true },
    xAxis: category(x, names[0]),
    yAxis: { ...category(y, names[1]), nameGap: 44 },
    visualMap: { ...colorScale(values, 2, study) },
    tooltip: { confine: true },
    series: [{ type: "heatmap", data: cells.map((cell) => [cell.x, cell.y, cell.value]) }],
  };
}

export function curvesOption({ curves, unit, objective }: ShownCurves, colors: Colors): Option {
  return {
    ...axes(colors, unit, objective),
    series: curves.map(({ number, state, points }) => ({
      name: `Trial ${number}`,
      type: "line",
      showSymbol: points.length < 2,
      data: points,
      lineStyle: { width: 1.2, opacity: state === "complete" ? 0.7 : 0.35 },
      color: state === "complete" ? colors.main : state === "running" ? "#f59f00" : "#868e96",
      emphasis: { focus: "series" },
    })),
    tooltip: {
      trigger: "item",
      confine: true,
      formatter: ({ seriesName, value }: { seriesName: string; value: [number, number] }) =>
        `${seriesName}: ${formatNumber(value[1])} at ${unit} ${formatNumber(value[0])}`,
    },
  };
}

/** Two objectives against each other; the front stands out. */
export function frontOption(study: Study, trials: TrialColumns, colors: Colors): Option {
  const onFront = new Set(study.front.map(({ number }) => number));
  const points = completed(trials).map((index) => ({
    front: onFront.has(trials.number[index] ?? -1),
    at: [trialValue(trials, index, 0), trialValue(trials, index, 1)],
  }));
  const series = (front: boolean) => ({
    name: front ? "Front" : "Other trials",
    type: "scatter",
    data: points.filter((point) => point.front === front).map(({ at }) => at),
    symbolSize: front ? 10 : 5,
    itemStyle: { color: front ? colors.main : colors.weak },
    large: !front,
    largeThreshold: LARGE,
  });
  const [first, second] = study.objectives;
  return {
    ...axes(colors, first?.name ?? "", second?.name ?? ""),
    tooltip: { trigger: "item", confine: true },
    series: [series(false), series(true)],
  };
}

function axes(colors: Colors, x: string, y: string, log = false): Option {
  const label = { color: colors.text, hideOverlap: true, formatter: formatNumber };
  const line = { lineStyle: { color: colors.line } };
  return {
    grid: { left: 8, right: 16, top: 30, bottom: 22, containLabel: true },
    xAxis: {
      type: log ? "log" : "value",
      name: x,
      nameLocation: "middle",
      nameGap: 26,
      scale: true,
      nameTextStyle: { color: colors.text },
      axisLabel: label,
      axisLine: { onZero: false, ...line },
      splitLine: { show: false },
    },
    yAxis: {
      type: "value",
      name: y,
      scale: true,
      nameTextStyle: { color: colors.text, align: "left" },
      axisLabel: { color: colors.text, formatter: formatNumber },
      splitLine: line,
    },
  };
}
