import { isMapping } from "./draft";
import { isRawNumber, parseExact } from "./exactJson";

/** A value as text for a form field. */
export function showValue(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (isRawNumber(value)) return value.rawJSON;
  return JSON.stringify(value);
}

/** Typed text as a number, boolean or list if it looks like one, otherwise as text. */
export function readValue(text: string): unknown {
  try {
    const read = parseExact(text.trim());
    const isRewritten = typeof read === "number" && String(read) !== text.trim();
    return isMapping(read) || isRewritten ? text : read;
  } catch {
    return text;
  }
}

/** How cells are formatted and parsed. */
export type Cells = { show: (value: unknown) => string; read: (text: string) => unknown };

/** Numbers, booleans and lists as such; text that looks like one is quoted. */
export const TYPED: Cells = {
  show: (value) =>
    typeof value === "string" && readValue(value) !== value
      ? JSON.stringify(value)
      : showValue(value),
  read: readValue,
};

/** Plain text, such as a path. */
export const PLAIN: Cells = { show: showValue, read: (text) => text };

/** A whole number; anything else is passed on unchanged for the service to reject. */
export function readCount(text: string): unknown {
  const trimmed = text.trim();
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** One entry per line, without empty lines. */
export function readLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The packages of a `requirements.txt`, without comments. */
export function readRequirements(text: string): string[] {
  return readLines(text.replace(/(^|\s)#.*$/gm, ""));
}
