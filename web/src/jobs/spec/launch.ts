import { isMapping } from "./draft";

/** `launch` is a word, or a mapping where more than the word is said. */
export type Launch = { kind: string; hang: unknown };

export function readLaunch(value: unknown): Launch {
  if (isMapping(value)) return { kind: String(value.kind ?? ""), hang: value.hang };
  return { kind: typeof value === "string" ? value : "", hang: undefined };
}

/** The shortest way to say it; nothing, where nothing is said. */
export function writeLaunch({ kind, hang }: Launch): unknown {
  if (hang === undefined || hang === "") return kind || undefined;
  return kind ? { kind, hang } : { hang };
}
