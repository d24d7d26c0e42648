import { formatBytes } from "~/lib/format";
import type { Image, ImageTransfer } from "./api";

/** The endpoints that have the image, each once. */
export function endpointsWith(image: Pick<Image, "copies">): string[] {
  return [...new Set(image.copies.map((copy) => copy.endpoint))];
}

/** Progress from 0 to 100; null if unknown. */
export function transferPercent(transfer: Pick<ImageTransfer, "bytes" | "size">): number | null {
  return transfer.size > 0
    ? Math.min(100, Math.round((100 * transfer.bytes) / transfer.size))
    : null;
}

const TITLES: Record<ImageTransfer["kind"], (transfer: ImageTransfer) => string> = {
  copy: (transfer) => `To ${transfer.endpoint}${transfer.source ? ` from ${transfer.source}` : ""}`,
  push: (transfer) => `From ${transfer.endpoint} to ${transfer.reference}`,
  pull: (transfer) => `From ${transfer.reference} to ${transfer.endpoint}`,
};

export function transferTitle(transfer: ImageTransfer): string {
  return TITLES[transfer.kind](transfer);
}

export function transferStatus(transfer: ImageTransfer): string {
  if (transfer.state === "failed") return transfer.message || "The transfer failed.";
  if (transfer.state === "waiting") return transfer.words || "Waiting for the endpoint.";
  return transfer.size
    ? `${formatBytes(transfer.bytes)} of ${formatBytes(transfer.size)}`
    : formatBytes(transfer.bytes);
}

export const FORMATS: Record<string, string> = {
  squashfs: "one file (squashfs)",
  "docker-archive": "one file (docker-archive)",
  venv: "virtual environment",
};

/** A JSON list or mapping with one entry per line; other text unchanged. */
export function valueLines(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(entryText).join("\n");
    return Object.entries(value as object)
      .map(([name, entry]) => `${name}=${entryText(entry)}`)
      .join("\n");
  } catch {
    return text;
  }
}

function entryText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
