import type { SpecDraft } from "./spec/draft";
import { parseExact } from "./spec/exactJson";

/** The content of a form: a spec, and a key that changes with every edit. */
export type FormContent = { spec: SpecDraft; key: string };
/** A draft stored in the browser: which tab saved it, and when. */
export type Draft<W extends FormContent> = { tab: string; at: number; work: W };

const PREFIX = "diamond.compose.";
const MAX_DRAFTS = 20;

export function readDraft<W extends FormContent>(source: string): Draft<W> | null {
  const text = localStorage.getItem(PREFIX + source);
  return text === null ? null : parseDraft(text);
}

export function parseDraft<W extends FormContent>(text: string): Draft<W> | null {
  try {
    const draft = parseExact(text) as Draft<W>;
    return typeof draft?.work?.spec === "object" ? draft : null;
  } catch {
    return null;
  }
}

/** A browser that cannot store drafts (private window, storage full) must not interrupt typing. */
export function writeDraft<W extends FormContent>(source: string, draft: Draft<W>): void {
  try {
    localStorage.setItem(PREFIX + source, JSON.stringify(draft));
    removeOldest();
  } catch {
    return;
  }
}

export function removeDraft(source: string): void {
  localStorage.removeItem(PREFIX + source);
}

export function isKeyOf(source: string, key: string | null): boolean {
  return key === PREFIX + source;
}

function removeOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  if (keys.length <= MAX_DRAFTS) return;
  const age = (key: string) => parseDraft(localStorage.getItem(key) ?? "")?.at ?? 0;
  const oldest = keys.sort((a, b) => age(a) - age(b)).slice(0, keys.length - MAX_DRAFTS);
  for (const key of oldest) localStorage.removeItem(key);
}
