import { isMapping } from "./draft";

/** `launch` is a name, or a mapping with more settings. */
export type Launch = { kind: string; hang: unknown };

export function readLaunch(value: unknown): Launch {
  if (isMapping(value)) return { kind: String(value.kind ?? ""), hang: value.hang };
  return { kind: typeof value === "string" ? value : "", hang: undefined };
}

/** The shortest form; undefined if nothing is set. */
export function writeLaunch({ kind, hang }: Launch): unknown {
  if (hang === undefined || hang === "") return kind || undefined;
  return kind ? { kind, hang } : { hang };
}
