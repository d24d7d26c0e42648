/** The kind of a diff line. The signs stay in the text, so that colour is not needed. */
export function diffLineKind(line: string): string | undefined {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line))
    return "head";
  if (line.startsWith("@@")) return "place";
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return undefined;
}
