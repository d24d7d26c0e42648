export const STARTS = ["command", "recipe", "notebook", "task"] as const;
export type Start = (typeof STARTS)[number];

export const TABS = ["yaml", "script", "cost", "plan", "scale"] as const;
export type SideTab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type ComposerSearch = {
  /** What to start from, before a recipe or task is chosen. */
  start?: Start;
  recipe?: string;
  /** A task to run again with changes. */
  from?: string;
  /** An image to use. */
  image?: string;
  /** A version of a model to continue from: NAME@v3. */
  model?: string;
  /** The project the job will belong to; kept while navigating in the composer. */
  project?: string;
  /** The assignment of that project to copy. */
  assignment?: string;
  tab?: SideTab;
};

export function composerSearch(given: Record<string, unknown>): ComposerSearch {
  return {
    start: oneOf(STARTS, given.start),
    recipe: textOf(given.recipe),
    from: textOf(given.from),
    image: textOf(given.image),
    model: textOf(given.model),
    project: textOf(given.project),
    assignment: textOf(given.assignment),
    tab: oneOf(TABS, given.tab),
  };
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T | undefined {
  return known.find((candidate) => candidate === value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
