import type { SpecDraft } from "~/jobs/spec/draft";

/** "1, 2 4" as numbers; null if a part is not a whole number greater than zero. */
export function parseNodeCounts(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  return parts.every((word) => /^[1-9]\d*$/.test(word)) ? parts.map(Number) : null;
}

/** A scale started here and its job, so that its advice is not applied to another job. */
export type ScaleStart = { id: string; name: string; run: string };

export function scaleStart(id: string, spec: SpecDraft): ScaleStart {
  return {
    id,
    name: String(spec.name ?? ""),
    run: JSON.stringify(spec.run ?? spec.notebook ?? ""),
  };
}

export function isForJob(started: ScaleStart, spec: SpecDraft): boolean {
  const now = scaleStart(started.id, spec);
  return started.name === now.name && started.run === now.run;
}
