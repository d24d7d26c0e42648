import { parseExact } from "../spec/exactJson";
import type { Work } from "./work";

/** A half-filled form as it lies in the browser: whose tab saved it, and when. */
export type Draft = { tab: string; at: number; work: Work };

const PREFIX = "diamond.compose.";
const KEPT = 20;

export function readDraft(source: string): Draft | null {
  const text = localStorage.getItem(PREFIX + source);
  return text === null ? null : parseDraft(text);
}

export function parseDraft(text: string): Draft | null {
  try {
    const draft = parseExact(text) as Draft;
    return typeof draft?.work?.spec === "object" ? draft : null;
  } catch {
    return null;
  }
}

/** A browser that keeps nothing (private window, full) is no reason to stop typing. */
export function writeDraft(source: string, draft: Draft): void {
  try {
    localStorage.setItem(PREFIX + source, JSON.stringify(draft));
    forgetOldest();
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

function forgetOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  if (keys.length <= KEPT) return;
  const age = (key: string) => parseDraft(localStorage.getItem(key) ?? "")?.at ?? 0;
  const oldest = keys.sort((a, b) => age(a) - age(b)).slice(0, keys.length - KEPT);
  for (const key of oldest) localStorage.removeItem(key);
}
