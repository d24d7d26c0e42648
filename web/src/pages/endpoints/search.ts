/** What the address of this page may carry. */
export type EndpointsSearch = {
  add?: AddMethod;
  /** A shared profile that a new endpoint starts from. */
  profile?: string;
};

export const METHODS = ["ssh", "pairing"] as const;
export type AddMethod = (typeof METHODS)[number] | "choose";
export function endpointsSearch(search: Record<string, unknown>): EndpointsSearch {
  const add = ["choose", ...METHODS].find((method) => method === search.add);
  return {
    ...(add ? { add: add as AddMethod } : {}),
    ...(add && typeof search.profile === "string" ? { profile: search.profile } : {}),
  };
}
