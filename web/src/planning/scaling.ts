import type { Schemas } from "~/api/client";
import { type Curve, colourOf } from "~/charts/curves";
import { formatNumber } from "~/lib/format";

export type Scale = Schemas["Scale"];
export type Probe = Schemas["ScaleProbe"];

/** Measured throughput and perfect scaling; settings have no such curve. */
export function scalingCurves(scale: Pick<Scale, "kind" | "probes" | "unit">): Curve[] {
  if (scale.kind !== "nodes") return [];
  const measured = scale.probes
    .filter((probe) => probe.throughput !== null)
    .sort((a, b) => a.nodes - b.nodes);
  const first = measured[0];
  if (!first?.throughput || measured.length < 2) return [];
  const perNode = first.throughput / first.nodes;
  return [
    {
      key: "measured",
      label: "measured",
      color: colourOf(0),
      points: measured.map(({ nodes, throughput }) => [nodes, null, throughput]),
    },
    {
      key: "perfect",
      label: "perfect scaling",
      color: colourOf(1),
      dashed: true,
      points: measured.map(({ nodes }) => [nodes, null, nodes * perNode]),
    },
  ];
}

/** Describes the curve for screen readers. */
export function scalingDescription({ probes, unit }: Pick<Scale, "probes" | "unit">): string {
  const measured = probes.filter((probe) => probe.throughput !== null);
  const points = measured.map((probe) => `${probe.label} ${formatNumber(probe.throughput ?? 0)}`);
  return `Throughput by number of nodes, in ${unit} per second: ${points.join(", ")}`;
}

/** What a probe without a result is doing, or why it has none. */
export function probeStatus(probe: Probe, steps: number): string {
  if (probe.state === "running" && probe.steps > 0) {
    return `running, ${probe.steps} of ${steps} steps measured`;
  }
  if (!probe.words) return probe.state;
  return probe.state === "skipped" ? `skipped: ${probe.words}` : `${probe.state}: ${probe.words}`;
}

/** A probe compared with the first: efficiency, or the speed-up of a setting. */
export function probeResult(scale: Pick<Scale, "kind" | "gains">, probe: Probe): string {
  if (scale.kind === "nodes") {
    return probe.efficiency === null ? "" : `${Math.round(100 * probe.efficiency)} %`;
  }
  const gain = gainOf(scale, probe);
  return gain ? `${gain.factor.toFixed(2)}×` : "";
}

export function gainOf({ gains }: Pick<Scale, "gains">, { label }: Pick<Probe, "label">) {
  return gains.find(({ change }) => change === label);
}

export function scaleTitle({ state, endpoint }: Pick<Scale, "state" | "endpoint">): string {
  if (state === "running") return `Measuring on ${endpoint}`;
  if (state === "failed") return `Nothing could be measured on ${endpoint}`;
  return state === "cancelled" ? `Stopped measuring on ${endpoint}` : `Measured on ${endpoint}`;
}
