import { api, dataOf, fetchRaw } from "~/api/client";
import type { CodeFacts } from "../state/work";
import { ignoreTexts, insidePath, type PickedFile } from "./folder";

/** Send a folder: only what the service would keep, and it says what stays behind and why. */
export async function sendFolder(files: PickedFile[], project = ""): Promise<CodeFacts> {
  const body = { paths: files.map(insidePath), rules: await ignoreTexts(files) };
  const plan = await dataOf(api.POST("/api/v1/snapshots/plan", { body }));
  const taken = new Set(plan.take);
  const code = await send(
    files.filter((file) => taken.has(insidePath(file))),
    project,
  );
  return { ...code, left_out: [...plan.left_out, ...(code.left_out ?? [])] };
}

async function send(files: PickedFile[], project: string): Promise<CodeFacts> {
  const form = new FormData();
  for (const picked of files) form.append("files", picked.file, insidePath(picked));
  const meant = project ? `?project=${encodeURIComponent(project)}` : "";
  const answer = await fetchRaw(`/api/v1/snapshots${meant}`, { method: "POST", body: form });
  return (await answer.json()) as CodeFacts;
}
