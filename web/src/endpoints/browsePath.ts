export type Step = { name: string; path: string };

/** The folders on the way to a folder, outermost first. */
export function foldersOf(folder: string): Step[] {
  const names = folder.split("/").filter(Boolean);
  return names.map((name, at) => ({ name, path: `/${names.slice(0, at + 1).join("/")}` }));
}
