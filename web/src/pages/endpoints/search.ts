/** What the addresses of these pages may carry. */
export type EndpointsSearch = {
  add?: Way;
  /** A shared profile that a new endpoint starts from. */
  profile?: string;
};
export type EndpointSearch = { tab?: Tab };

export const WAYS = ["ssh", "pairing"] as const;
export type Way = (typeof WAYS)[number] | "choose";
export const TABS = ["overview", "profile", "secrets", "upkeep"] as const;
export type Tab = (typeof TABS)[number];

export function endpointsSearch(search: Record<string, unknown>): EndpointsSearch {
  const add = ["choose", ...WAYS].find((one) => one === search.add);
  return {
    ...(add ? { add: add as Way } : {}),
    ...(add && typeof search.profile === "string" ? { profile: search.profile } : {}),
  };
}

export function endpointSearch(search: Record<string, unknown>): EndpointSearch {
  const tab = TABS.find((one) => one === search.tab);
  return tab && tab !== "overview" ? { tab } : {};
}
