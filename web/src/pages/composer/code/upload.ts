import { api, dataOf } from "~/api/client";
import { sendForm } from "~/api/sendForm";
import type { CodeFacts } from "~/jobs/work";
import type { UploadState } from "~/lib/transfer";
import { type PickedFile, readIgnoreFiles, relativePath } from "./folder";

/** Uploads a folder. The service decides which files to include, and says why others are excluded. */
export async function uploadFolder(
  files: PickedFile[],
  project: string | undefined,
  onProgress: (progress: UploadState) => void,
): Promise<CodeFacts> {
  const body = { paths: files.map(relativePath), rules: await readIgnoreFiles(files) };
  const plan = await dataOf(api.POST("/api/v1/snapshots/plan", { body }));
  const included = new Set(plan.take);
  const code = await uploadFiles(
    files.filter((file) => included.has(relativePath(file))),
    project ?? "",
    onProgress,
  );
  return { ...code, left_out: [...plan.left_out, ...(code.left_out ?? [])] };
}

async function uploadFiles(
  files: PickedFile[],
  project: string,
  onProgress: (progress: UploadState) => void,
): Promise<CodeFacts> {
  const form = new FormData();
  for (const picked of files) form.append("files", picked.file, relativePath(picked));
  const query = project ? `?project=${encodeURIComponent(project)}` : "";
  return (await sendForm(`/api/v1/snapshots${query}`, form, onProgress)) as CodeFacts;
}
