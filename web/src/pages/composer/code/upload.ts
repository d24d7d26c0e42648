import { fetchRaw } from "~/api/client";
import type { CodeFacts } from "../state/work";
import type { PickedFile } from "./folder";

/** Send a folder; the service keeps what it knows already once, and says what stays behind and why. */
export async function sendFolder(files: PickedFile[]): Promise<CodeFacts> {
  const form = new FormData();
  for (const { path, file } of files) form.append("files", file, path);
  const strip = files.every(({ path }) => path.includes("/"));
  const answer = await fetchRaw(`/api/v1/snapshots?strip=${strip}`, { method: "POST", body: form });
  return (await answer.json()) as CodeFacts;
}
