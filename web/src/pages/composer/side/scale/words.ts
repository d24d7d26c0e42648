import type { Schemas } from "~/api/client";
import { type Curve, colourOf } from "~/charts/curves";
import { figure } from "~/lib/format";
import type { SpecDraft } from "../../spec/draft";

type Scale = Schemas["Scale"];
type Probe = Schemas["ScaleProbe"];

/** "1, 2 4" as numbers, none where nothing is written; null where a word is no whole number above zero. */
export function nodesOf(text: string): number[] | null {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  return words.every((word) => /^[1-9]\d*$/.test(word)) ? words.map(Number) : null;
}

/** A scale that was begun here, and of which job: another one must not take its advice. */
export type Begun = { id: string; name: string; run: string };

export function begunFor(id: string, spec: SpecDraft): Begun {
  return {
    id,
    name: String(spec.name ?? ""),
    run: JSON.stringify(spec.run ?? spec.notebook ?? ""),
  };
}

export function isOf(begun: Begun, spec: SpecDraft): boolean {
  const now = begunFor(begun.id, spec);
  return begun.name === now.name && begun.run === now.run;
}

/** Throughput over machines, beside what it would be if each did as much as the first; settings have no such curve. */
export function curvesOf(scale: Pick<Scale, "kind" | "probes" | "unit">): Curve[] {
  if (scale.kind !== "nodes") return [];
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
