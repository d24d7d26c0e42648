import type { Schemas } from "~/api/client";

const WORDS = ["quota_bytes", "quota_files", "purge_days"] as const;
export type FolderWord = (typeof WORDS)[number];
type Folder = { path: string } & Partial<Schemas["FolderNow"]>;
export type Folders = Record<string, Folder>;

/**
 * What a person says of the folders beyond what was probed; null where that is nothing.
 *
 * The room there is learned anew each time: it never belongs to a correction.
 */
export function saidOf(folders: Folders, probed: Folders): Folders | null {
  const said: Folders = {};
  for (const [name, folder] of Object.entries(folders)) {
    const differing = WORDS.filter(
      (word) => (folder[word] ?? null) !== (probed[name]?.[word] ?? null),
    );
    if (!differing.length) continue;
    const words = Object.fromEntries(differing.map((word) => [word, folder[word] ?? null]));
    said[name] = { path: folder.path, ...words };
  }
  return Object.keys(said).length ? said : null;
}
