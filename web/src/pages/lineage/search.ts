import { textParameter } from "~/lib/search";

/** What the address of this page may carry. */
export type LineageSearch = { of?: string; direction?: Direction };
export type Direction = "both" | "backward" | "forward";

export function lineageSearch(given: Record<string, unknown>): LineageSearch {
  const direction = given.direction;
  return {
    ...textParameter("of", given.of),
    ...(direction === "backward" || direction === "forward" ? { direction } : {}),
  };
}
