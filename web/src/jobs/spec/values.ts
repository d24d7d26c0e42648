import { isMapping } from "./draft";
import { isRawNumber, parseExact } from "./exactJson";

/** A value as it stands in a field of the form. */
export function showValue(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (isRawNumber(value)) return value.rawJSON;
  return JSON.stringify(value);
}

/** What was typed: a number, truth value or list where it is written as one, otherwise the text. */
export function readValue(text: string): unknown {
  try {
    const read = parseExact(text.trim());
    const isRewritten = typeof read === "number" && String(read) !== text.trim();
    return isMapping(read) || isRewritten ? text : read;
  } catch {
    return text;
  }
}

/** How the cells of a table of values are written and read. */
export type Cells = { show: (value: unknown) => string; read: (text: string) => unknown };

/** Numbers, truth values and lists as such; a text that looks like one stands in quotes. */
export const TYPED: Cells = {
  show: (value) =>
    typeof value === "string" && readValue(value) !== value
      ? JSON.stringify(value)
      : showValue(value),
  read: readValue,
};

/** Text and nothing else, such as a path. */
export const PLAIN: Cells = { show: showValue, read: (text) => text };

/** A count as a number; anything else stays what it is, and the service says what it makes of it. */
export function readCount(text: string): unknown {
  const trimmed = text.trim();
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** One entry a line, without empty lines. */
export function readLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The packages of a `requirements.txt`: its lines without comments. */
export function readRequirements(text: string): string[] {
  return readLines(text.replace(/(^|\s)#.*$/gm, ""));
}
