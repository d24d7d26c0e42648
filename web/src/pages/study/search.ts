import { textParameter } from "~/lib/search";

export const TABS = ["overview", "parameters", "curves", "trials"] as const;
export type StudyTab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type StudySearch = { tab?: StudyTab; state?: string };

export function studySearch(given: Record<string, unknown>): StudySearch {
  const tab = TABS.find((tab) => tab === given.tab);
  return {
    ...(tab && tab !== "overview" ? { tab } : {}),
    ...textParameter("state", given.state),
  };
}
