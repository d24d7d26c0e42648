import type { Schemas } from "~/api/client";

const CORRECTABLE = ["quota_bytes", "quota_files", "purge_days"] as const;
export type CorrectableField = (typeof CORRECTABLE)[number];
type Folder = { path: string } & Partial<Schemas["FolderNow"]>;
export type Folders = Record<string, Folder>;

/**
 * The person's corrections of the probed folders; null if there are none.
 *
 * Free space is probed each time and never part of a correction.
 */
export function folderCorrections(folders: Folders, probed: Folders): Folders | null {
  const corrections: Folders = {};
  for (const [name, folder] of Object.entries(folders)) {
    const differing = CORRECTABLE.filter(
      (word) => (folder[word] ?? null) !== (probed[name]?.[word] ?? null),
    );
    if (!differing.length) continue;
    const changes = Object.fromEntries(differing.map((word) => [word, folder[word] ?? null]));
    corrections[name] = { path: folder.path, ...changes };
  }
  return Object.keys(corrections).length ? corrections : null;
}
