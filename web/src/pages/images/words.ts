import type { Image, Move } from "~/api/images";
import { bytes } from "~/lib/format";

/** The endpoints that have it, each once. */
export function placesOf(image: Pick<Image, "copies">): string[] {
  return [...new Set(image.copies.map((copy) => copy.endpoint))];
}

/** How far a move has come, from 0 to 100; nothing where it cannot be told. */
export function shareOf(move: Pick<Move, "bytes" | "size">): number | null {
  return move.size > 0 ? Math.min(100, Math.round((100 * move.bytes) / move.size)) : null;
}

const DEEDS: Record<Move["kind"], (move: Move) => string> = {
  copy: (move) => `To ${move.endpoint}${move.source ? ` from ${move.source}` : ""}`,
  push: (move) => `From ${move.endpoint} to ${move.reference}`,
  pull: (move) => `From ${move.reference} to ${move.endpoint}`,
};

export function moveTitle(move: Move): string {
  return DEEDS[move.kind](move);
}

export function moveWords(move: Move): string {
  if (move.state === "failed") return move.message || "The transfer failed.";
  if (move.state === "waiting") return move.words || "Waiting for the endpoint.";
  return move.size ? `${bytes(move.bytes)} of ${bytes(move.size)}` : bytes(move.bytes);
}

export const FORMATS: Record<string, string> = {
  squashfs: "one file (squashfs)",
  "docker-archive": "one file (docker-archive)",
  venv: "virtual environment",
};

/** A list or a mapping that came as JSON, one entry a line; any other text as it is. */
export function valueLines(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(entryText).join("\n");
    return Object.entries(value as object)
      .map(([name, one]) => `${name}=${entryText(one)}`)
      .join("\n");
  } catch {
    return text;
  }
}

function entryText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
