/** A file of a chosen or dropped folder; its path starts with the folder's name. */
export type PickedFile = { path: string; file: File };

export function pickedFiles(list: FileList | null): PickedFile[] {
  return [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** All files below the dropped items. Must be called inside the drop event, since the list is cleared after it. */
export function droppedFiles(items: DataTransferItemList): Promise<PickedFile[]> {
  const entries = [...items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  return Promise.all(entries.map(filesBelow)).then((lists) => lists.flat());
}

async function filesBelow(entry: FileSystemEntry): Promise<PickedFile[]> {
  if (isFile(entry))
    return [{ path: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry) }];
  const inside = await entriesOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(inside.map(filesBelow))).flat();
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A reader returns a folder in batches; the last one is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!some.length) return all;
    all.push(...some);
  }
}

export function folderName(files: PickedFile[]): string {
  return files[0]?.path.split("/")[0] ?? "";
}

/** The path inside the folder, without the folder's name. */
export function relativePath({ path }: PickedFile): string {
  return path.includes("/") ? path.slice(path.indexOf("/") + 1) : path;
}

/** The folder's ignore files, from which the service decides what to skip. */
export async function readIgnoreFiles(files: PickedFile[]): Promise<Record<string, string>> {
  const rules = files.filter(({ path }) => /(^|\/)\.(git|diamond)ignore$/.test(path));
  const read = rules.map(async (rule) => [relativePath(rule), await rule.file.text()]);
  return Object.fromEntries(await Promise.all(read));
}

export function notebooksOf(files: PickedFile[]): string[] {
  const inside = files.map(relativePath);
  return inside.filter((path) => /\.ipynb$/i.test(path) && !path.includes(".ipynb_checkpoints/"));
}
