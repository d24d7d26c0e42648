import type { Schemas } from "~/api/client";
import { type Curve, colourOf } from "~/charts/curves";
import { figure } from "~/lib/format";

type Scale = Schemas["Scale"];
type Probe = Schemas["ScaleProbe"];

/** "1, 2 4" as numbers; what is none is left out, and the service says what it lacks. */
export function nodesOf(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .map((word) => Number.parseInt(word, 10))
    .filter((nodes) => Number.isFinite(nodes));
}

/** Throughput over machines, beside what it would be if each did as much as the first. */
export function curvesOf(scale: Pick<Scale, "probes" | "unit">): Curve[] {
  const measured = scale.probes
    .filter((probe) => probe.throughput !== null)
    .sort((a, b) => a.nodes - b.nodes);
  const first = measured[0];
  if (!first?.throughput || measured.length < 2) return [];
  const each = first.throughput / first.nodes;
  return [
    {
      key: "measured",
      label: `${scale.unit} a second`,
      color: colourOf(0),
      points: measured.map(({ nodes, throughput }) => [nodes, null, throughput]),
    },
    {
      key: "perfect",
      label: "if no machine were held up",
      color: colourOf(6),
      points: measured.map(({ nodes }) => [nodes, null, nodes * each]),
    },
  ];
}

/** What a probe is doing, or gave. */
export function probeWords(probe: Probe, unit: string): string {
  if (probe.throughput === null) return probe.words || probe.state;
  const share = probe.efficiency === null ? "" : `, ${Math.round(100 * probe.efficiency)} % each`;
  return `${figure(probe.throughput)} ${unit}/s${share}`;
}
