export const DIALOGS = ["pull", "prune"] as const;
export type Dialog = (typeof DIALOGS)[number];
export const TABS = ["overview", "contents", "uses", "definition"] as const;
export type ImageTab = (typeof TABS)[number];

/** What the addresses of these pages may carry. */
export type ImagesSearch = { search?: string; endpoint?: string; dialog?: Dialog; shared?: true };
export type ImageSearch = { tab?: ImageTab };
export type CompareSearch = { a?: string; b?: string };

export function imagesSearch(given: Record<string, unknown>): ImagesSearch {
  const dialog = DIALOGS.find((dialog) => dialog === given.dialog);
  return {
    ...textParameter("search", given.search),
    ...textParameter("endpoint", given.endpoint),
    ...(dialog && { dialog }),
    ...(given.shared === true && { shared: true }),
  };
}

export function imageSearch(given: Record<string, unknown>): ImageSearch {
  const tab = TABS.find((tab) => tab === given.tab);
  return tab && tab !== "overview" ? { tab } : {};
}

export function compareSearch(given: Record<string, unknown>): CompareSearch {
  return { ...textParameter("a", given.a), ...textParameter("b", given.b) };
}

/** A name may look like a number, and the address then carries it as one. */
function textParameter(name: string, value: unknown): Record<string, string> {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return text ? { [name]: text } : {};
}
