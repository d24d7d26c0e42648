/** What the addresses of these pages may carry. */
export type EndpointsSearch = {
  add?: AddMethod;
  /** A shared profile that a new endpoint starts from. */
  profile?: string;
};
export type EndpointSearch = { tab?: Tab };

export const METHODS = ["ssh", "pairing"] as const;
export type AddMethod = (typeof METHODS)[number] | "choose";
export const TABS = ["overview", "profile", "secrets", "upkeep"] as const;
export type Tab = (typeof TABS)[number];

export function endpointsSearch(search: Record<string, unknown>): EndpointsSearch {
  const add = ["choose", ...METHODS].find((method) => method === search.add);
  return {
    ...(add ? { add: add as AddMethod } : {}),
    ...(add && typeof search.profile === "string" ? { profile: search.profile } : {}),
  };
}

export function endpointSearch(search: Record<string, unknown>): EndpointSearch {
  const tab = TABS.find((tab) => tab === search.tab);
  return tab && tab !== "overview" ? { tab } : {};
}
