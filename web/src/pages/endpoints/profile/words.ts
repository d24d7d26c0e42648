/** A fact's value as lines for a person: one line each for what a list or a table holds. */
export function factLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.length ? value.map((one) => inLine(one)) : ["none"];
  if (isTable(value)) {
    const lines = Object.entries(value).map(([name, one]) => `${name}: ${inLine(one)}`);
    return lines.length ? lines : ["none"];
  }
  return [inLine(value)];
}

function inLine(value: unknown): string {
  if (value === null || value === undefined) return "not known";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((one) => inLine(one)).join(", ") || "none";
  if (!isTable(value)) return String(value);
  const { name, ...rest } = value;
  const told = Object.entries(rest).filter(([, one]) => one !== null && one !== false);
  const words = told.map(([key, one]) =>
    one === true ? plain(key) : `${plain(key)} ${nested(one)}`,
  );
  return (
    [name === undefined ? "" : String(name), words.join(", ")].filter(Boolean).join(": ") || "none"
  );
}

function nested(value: unknown): string {
  return isTable(value) || Array.isArray(value) ? `(${inLine(value)})` : inLine(value);
}

function plain(key: string): string {
  return key.replaceAll("_", " ");
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How a value is written in the editor, and read back. */
export type Form = "number" | "text" | "lines" | "json";

export function formOf(value: unknown): Form {
  if (typeof value === "number") return "number";
  if (typeof value === "string") return "text";
  const isLines = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isLines ? "lines" : "json";
}

export function written(value: unknown, form: Form): string {
  if (form === "lines") return (value as string[]).join("\n");
  return form === "json" ? JSON.stringify(value ?? null, null, 2) : String(value);
}

/** What was written as a value; throws a SyntaxError for JSON that is none. */
export function readBack(text: string, form: Form): unknown {
  if (form === "number") return Number(text);
  if (form === "text") return text;
  if (form === "lines") return text.split("\n").filter((line) => line.trim());
  return JSON.parse(text);
}
