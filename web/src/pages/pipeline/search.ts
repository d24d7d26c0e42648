import { textParameter } from "~/lib/search";

/** What the address of this page may carry. */
export type PipelineSearch = { stage?: string };

export function pipelineSearch(given: Record<string, unknown>): PipelineSearch {
  return textParameter("stage", given.stage);
}
