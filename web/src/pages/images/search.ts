export const DIALOGS = ["pull", "prune"] as const;
export type Dialog = (typeof DIALOGS)[number];
export const TABS = ["overview", "contents", "uses", "definition"] as const;
export type ImageTab = (typeof TABS)[number];

/** What the addresses of these pages may carry. */
export type ImagesSearch = { search?: string; endpoint?: string; dialog?: Dialog; shared?: true };
export type ImageSearch = { tab?: ImageTab };
export type CompareSearch = { a?: string; b?: string };

export function imagesSearch(given: Record<string, unknown>): ImagesSearch {
  const dialog = DIALOGS.find((one) => one === given.dialog);
  return {
    ...named("search", given.search),
    ...named("endpoint", given.endpoint),
    ...(dialog && { dialog }),
    ...(given.shared === true && { shared: true }),
  };
}

export function imageSearch(given: Record<string, unknown>): ImageSearch {
  const tab = TABS.find((one) => one === given.tab);
  return tab && tab !== "overview" ? { tab } : {};
}

export function compareSearch(given: Record<string, unknown>): CompareSearch {
  return { ...named("a", given.a), ...named("b", given.b) };
}

/** A name may look like a number, and the address then carries it as one. */
function named(name: string, value: unknown): Record<string, string> {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return text ? { [name]: text } : {};
}
