/** What the address of this page may carry. */
export type ComposerSearch = Record<string, never>;

export function composerSearch(): ComposerSearch {
  return {};
}
