import Anser from "anser";

export type Part = { text: string; className: string; color?: string; background?: string };

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: escape codes are control characters
/** Cursor moves, window titles, links: meaningless outside a terminal. */
const CURSOR_MOVES =
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<=>]*[A-Za-ln-z@`~]|\x1b[()][A-Za-z0-9]|\x1b[=>78DEHM]/g;
const COLOURS = /\x1b\[[0-9;:]*m/g;
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g;
const ESCAPES = /\x1b/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: escape codes are control characters

/** A line as a terminal would show it: the text after the last carriage return. */
export function visibleLine(line: string): string {
  const written = line.replace(/\r+$/, "");
  return written.slice(written.lastIndexOf("\r") + 1);
}

/** Text without colours, for copying and for the last lines of a log. */
export function plainText(text: string): string {
  return text
    .split("\n")
    .map((line) => clean(visibleLine(line).replace(COLOURS, "")))
    .join("\n");
}

function clean(text: string): string {
  return text.replace(CURSOR_MOVES, "").replace(CONTROLS, "");
}

/** A line split into parts with the same style. */
export function partsOf(line: string): Part[] {
  const text = clean(visibleLine(line));
  if (!text.includes("\x1b")) return [{ text, className: "" }];
  const parts = Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true });
  return parts.map((part) => ({
    text: part.content.replace(ESCAPES, ""),
    className: [...part.decorations, named(part.fg, "fg"), named(part.bg, "bg")]
      .filter(Boolean)
      .join(" "),
    color: exact(part.fg, part.fg_truecolor),
    background: exact(part.bg, part.bg_truecolor),
  }));
}

function named(colour: string | null, side: "fg" | "bg"): string {
  return colour && !/palette|truecolor/.test(colour) ? `${colour}-${side}` : "";
}

function exact(colour: string | null, truecolor: string | null): string | undefined {
  if (colour === "ansi-truecolor" && truecolor) return `rgb(${truecolor})`;
  const palette = colour?.match(/^ansi-palette-(\d+)$/)?.[1];
  return palette ? paletteColour(Number(palette)) : undefined;
}

/** The 6 × 6 × 6 cube and the greys of a 256-colour terminal. */
function paletteColour(n: number): string {
  if (n >= 232) {
    const grey = 8 + 10 * (n - 232);
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const level = (digit: number) => (digit ? 55 + 40 * digit : 0);
  const place = n - 16;
  const [red, green, blue] = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
  return `rgb(${level(red)}, ${level(green)}, ${level(blue)})`;
}

export type Piece = Part & { isMatch: boolean };

/** The same parts, split where they match the search. */
export function markMatches(parts: Part[], search: string): Piece[] {
  if (!search) return parts.map((part) => ({ ...part, isMatch: false }));
  const text = search.toLowerCase();
  return parts.flatMap((part) => splitAt(part, text));
}

function splitAt(part: Part, text: string): Piece[] {
  const pieces: Piece[] = [];
  const low = part.text.toLowerCase();
  let from = 0;
  for (let at = low.indexOf(text); at >= 0; at = low.indexOf(text, from)) {
    if (at > from) pieces.push({ ...part, text: part.text.slice(from, at), isMatch: false });
    from = at + text.length;
    pieces.push({ ...part, text: part.text.slice(at, from), isMatch: true });
  }
  if (from < part.text.length || !pieces.length)
    pieces.push({ ...part, text: part.text.slice(from), isMatch: false });
  return pieces;
}
