import type { SpecDraft } from "../../spec/draft";

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
