import { isMapping } from "~/jobs/spec/draft";

/** How a job's environment can be written. */
export type Kind = "none" | "packages" | "image" | "own";

/** The parts of a virtual environment; anything else needs an image. */
const PLAIN = ["requirements", "python", "variables"];

export function kindOf(environment: unknown): Kind {
  if (typeof environment === "string") return "image";
  if (!isMapping(environment)) return "none";
  const names = Object.keys(environment);
  if (names.some((name) => !PLAIN.includes(name))) return "own";
  return names.some((name) => name !== "variables") ? "packages" : "none";
}

/** What is kept when another kind is chosen: variables always, packages where they fit. */
export function keptOf(environment: unknown, next: Kind): unknown {
  if (!isMapping(environment) || next === "image") return undefined;
  const keptNames = { none: ["variables"], packages: PLAIN, own: Object.keys(environment) }[next];
  const entries = Object.entries(environment).filter(([name]) => keptNames.includes(name));
  return entries.length ? Object.fromEntries(entries) : undefined;
}
