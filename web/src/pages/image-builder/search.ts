export const STEPS = [
  "endpoint",
  "base",
  "dependencies",
  "variables",
  "commands",
  "review",
] as const;
export type StepName = (typeof STEPS)[number];

export const SIDE_TABS = ["definition", "yaml", "steps"] as const;
export type SideTab = (typeof SIDE_TABS)[number];

/** What the address of this page may carry. */
export type BuilderSearch = {
  step?: StepName;
  /** An image whose environment fills in the form. */
  from?: string;
  /** A build whose environment fills in the form. */
  build?: string;
  tab?: SideTab;
};

export function builderSearch(given: Record<string, unknown>): BuilderSearch {
  const step = STEPS.find((step) => step === given.step);
  const tab = SIDE_TABS.find((tab) => tab === given.tab);
  const from = textOf(given.from);
  const build = textOf(given.build);
  return {
    ...(step && step !== "endpoint" && { step }),
    ...(from && { from }),
    ...(build && { build }),
    ...(tab && tab !== "definition" && { tab }),
  };
}

function textOf(value: unknown): string | undefined {
  return (typeof value === "string" || typeof value === "number") && value !== ""
    ? String(value)
    : undefined;
}
