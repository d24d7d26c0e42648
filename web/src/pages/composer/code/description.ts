import { parseYaml, type TextFault } from "~/jobs/api";
import type { SpecDraft } from "~/jobs/spec/draft";
import { type PickedFile, relativePath } from "./folder";

export const SPEC_FILE = "diamond.yaml";
const MAX_BYTES = 256 * 1024;

/** What the folder's own diamond.yaml says, as the service reads it; null without such a file. */
export type Description = { spec: SpecDraft | null; faults: TextFault[] };

export async function readDescription(files: PickedFile[]): Promise<Description | null> {
  const found = files.find((picked) => relativePath(picked) === SPEC_FILE);
  if (!found || found.file.size > MAX_BYTES) return null;
  return parseYaml(await found.file.text());
}
