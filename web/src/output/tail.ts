import type { LogPiece } from "~/live/messages";

/** The end of a log: its text, and the byte offset of its end. */
export type Tail = { text: string; end: number };
type Piece = Pick<LogPiece, "offset" | "text" | "length">;

const MAX_CHARACTERS = 8_192;
const MAX_LINES = 100;

/** The tail with another piece appended; known bytes are skipped. */
export function withPiece(tail: Tail, piece: Piece): Tail {
  const bytes = new TextEncoder().encode(piece.text ?? "");
  const end = piece.offset + (piece.length ?? bytes.length);
  if (end <= tail.end) return tail;
  const known = Math.max(0, tail.end - piece.offset);
  const fresh = known ? new TextDecoder().decode(bytes.slice(known)) : (piece.text ?? "");
  const text = piece.offset > tail.end ? fresh : tail.text + fresh;
  return { text: text.slice(-MAX_CHARACTERS), end };
}

/** The last lines as a terminal would show them, without colours. */
export function tailText(tail: Tail): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes begin with the escape character
  const plain = tail.text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
  const lines = plain.split("\n").map((line) => line.replace(/\r$/, "").split("\r").at(-1) ?? "");
  return lines.slice(-MAX_LINES).join("\n").trimEnd();
}
