import { textParameter } from "~/lib/search";

export const DIALOGS = ["pull", "prune"] as const;
export type Dialog = (typeof DIALOGS)[number];
/** What the address of this page may carry. */
export type ImagesSearch = { search?: string; endpoint?: string; dialog?: Dialog; shared?: true };

export function imagesSearch(given: Record<string, unknown>): ImagesSearch {
  const dialog = DIALOGS.find((dialog) => dialog === given.dialog);
  return {
    ...textParameter("search", given.search),
    ...textParameter("endpoint", given.endpoint),
    ...(dialog && { dialog }),
    ...(given.shared === true && { shared: true }),
  };
}
