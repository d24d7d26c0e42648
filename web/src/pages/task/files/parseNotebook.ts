import { plainText } from "~/output/ansi";

export type Output =
  | { kind: "text"; text: string; isError: boolean }
  | { kind: "picture"; address: string }
  | { kind: "left-out"; type: string };
export type Cell = {
  kind: "markdown" | "code" | "raw";
  text: string;
  count: number | null;
  outputs: Output[];
};

type Raw = Record<string, unknown>;
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** A notebook's cells. Outputs that would run in the page (HTML, SVG, JavaScript) are named, never shown. */
export function parseNotebook(text: string): Cell[] {
  const notebook = JSON.parse(text) as Raw;
  return listOf(notebook.cells).map((cell) => ({
    kind: cell.cell_type === "markdown" || cell.cell_type === "raw" ? cell.cell_type : "code",
    text: joinLines(cell.source),
    count: typeof cell.execution_count === "number" ? cell.execution_count : null,
    outputs: listOf(cell.outputs).flatMap(outputOf),
  }));
}

function outputOf(output: Raw): Output[] {
  if (output.output_type === "stream") {
    return [textOf(joinLines(output.text), output.name === "stderr")];
  }
  if (output.output_type === "error") {
    const trace = listOfText(output.traceback).join("\n");
    return [textOf(trace || `${output.ename}: ${output.evalue}`, true)];
  }
  return shownOf((output.data ?? {}) as Raw);
}

/** Of the stored formats of a result: its picture, otherwise its text. */
function shownOf(data: Raw): Output[] {
  const picture = PICTURES.find(
    (type) => typeof data[type] === "string" || Array.isArray(data[type]),
  );
  if (picture) {
    const code = joinLines(data[picture]).replaceAll(/[^A-Za-z0-9+/=]/g, "");
    return [{ kind: "picture", address: `data:${picture};base64,${code}` }];
  }
  if (data["text/plain"] !== undefined) return [textOf(joinLines(data["text/plain"]), false)];
  const [type] = Object.keys(data);
  return type ? [{ kind: "left-out", type }] : [];
}

function textOf(text: string, isError: boolean): Output {
  return { kind: "text", text: plainText(text).trimEnd(), isError };
}

function joinLines(source: unknown): string {
  return Array.isArray(source) ? listOfText(source).join("") : String(source ?? "");
}

function listOfText(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function listOf(list: unknown): Raw[] {
  return Array.isArray(list) ? (list as Raw[]) : [];
}
