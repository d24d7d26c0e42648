import { isMapping } from "~/jobs/spec/draft";

/** The ways in which a job's environment may be written. */
export type Kind = "none" | "packages" | "image" | "own";

/** What a virtual environment is made of; whatever is named besides asks for an image. */
const PLAIN = ["requirements", "python", "variables"];

export function kindOf(environment: unknown): Kind {
  if (typeof environment === "string") return "image";
  if (!isMapping(environment)) return "none";
  const names = Object.keys(environment);
  if (names.some((name) => !PLAIN.includes(name))) return "own";
  return names.some((name) => name !== "variables") ? "packages" : "none";
}

/** What stays when another way is chosen: variables always, packages where there is a place for them. */
export function keptOf(environment: unknown, next: Kind): unknown {
  if (!isMapping(environment) || next === "image") return undefined;
  const kept = { none: ["variables"], packages: PLAIN, own: Object.keys(environment) }[next];
  const entries = Object.entries(environment).filter(([name]) => kept.includes(name));
  return entries.length ? Object.fromEntries(entries) : undefined;
}
