import { isMapping } from "~/jobs/spec/draft";
import { type Cells, readValue, showValue } from "~/jobs/spec/values";

const RANGE = /^(log|int|float)?\s*(-?[\d.e+-]+)\s*(?:\.\.|to)\s*(-?[\d.e+-]+)$/i;

/** A dimension as a person writes it in one field: `log 1e-5..0.1`, `int 1..6`, `0..1`, or `32, 64, 128`. */
export const SPACE: Cells = { show: showDimension, read: readDimension };

export function readDimension(text: string): unknown {
  const range = RANGE.exec(text.trim());
  if (range) {
    const [, kind = "float", low = "", high = ""] = range;
    return { [kind.toLowerCase()]: [Number(low), Number(high)] };
  }
  if (text.trim().startsWith("{")) return readValue(text);
  const choices = text.split(",").map((part) => part.trim());
  return { choice: choices.filter(Boolean).map((part) => readValue(part)) };
}

export function showDimension(value: unknown): string {
  if (Array.isArray(value)) return value.map(showValue).join(", ");
  if (!isMapping(value)) return showValue(value);
  const [[kind, given] = ["", null], ...more] = Object.entries(value);
  if (more.length || !Array.isArray(given)) return JSON.stringify(value);
  if (kind === "choice") return given.map(showValue).join(", ");
  const [low, high] = given.map(showValue);
  return kind === "float" ? `${low}..${high}` : `${kind} ${low}..${high}`;
}
