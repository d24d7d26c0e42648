import {
  type FactName,
  folderText,
  limitText,
  nodesText,
  type Partition,
  type Scheduler,
  schedulerName,
} from "~/endpoints/facts";
import { count, formatBytes, MEGABYTE } from "~/lib/format";

/** A fact as readable text if its shape is known, otherwise generically. */
export function factText(name: FactName, value: unknown): string[] {
  try {
    return FORMATTERS[name]?.(value as never) ?? factLines(value);
  } catch {
    return factLines(value); // A newer agent may report another shape.
  }
}

const FORMATTERS: Partial<Record<FactName, (value: never) => string[]>> = {
  scheduler: (value: Scheduler) => [schedulerName(value)],
  memory_mb: (value: number) => [formatBytes(value * MEGABYTE)],
  partitions: (value: Partition[]) => value.map(partitionLine),
  flags: flagLines,
  free: (value: Record<string, Free>) =>
    Object.entries(value).map(([name, free]) => `${name}: ${freeText(free)}`),
  folders: (value: Record<string, Folder>) =>
    Object.entries(value).map(([name, folder]) => `${name}: ${folder.path}; ${folderText(folder)}`),
};

type Folder = NonNullable<Parameters<typeof folderText>[0]>;
type Free = Partial<
  Record<"nodes_idle" | "nodes_total" | "cpus_idle" | "gpus_idle" | "pending", number | null>
>;

/** What a site does with a flag: stored value and label. */
export const FLAG_LABELS: Record<string, string> = {
  takes: "accepts",
  refuses: "rejects",
  requires: "requires",
};

/** Only flags that matter to a job; accepted ones are left out. */
function flagLines(flags: Record<string, string>): string[] {
  const special = Object.entries(flags).filter(([, answer]) => answer !== "takes");
  if (!special.length) return ["accepts every flag Diamond uses"];
  return special.map(([flag, answer]) => `${FLAG_LABELS[answer] ?? answer} --${flag}`);
}

function partitionLine(partition: Partition): string {
  const name = partition.default ? `${partition.name} (default)` : partition.name;
  const accounts = partition.accounts?.length ? `accounts ${partition.accounts.join(", ")}` : "";
  const parts = [nodesText(partition), limitText(partition), accounts];
  return `${name}: ${parts.filter(Boolean).join("; ")}`;
}

function freeText(free: Free): string {
  const parts = [
    free.nodes_idle != null && `${free.nodes_idle} of ${count(free.nodes_total ?? 0, "node")}`,
    free.cpus_idle != null && count(free.cpus_idle, "CPU"),
    free.gpus_idle != null && count(free.gpus_idle, "GPU"),
  ].filter(Boolean);
  const waiting =
    free.pending == null ? "" : `; ${count(free.pending, "job waiting", "jobs waiting")}`;
  return `${parts.join(", ")}${waiting}`;
}

/** A value as lines: one per entry of a list or table. */
export function factLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.length ? value.map((item) => oneLine(item)) : ["none"];
  if (isTable(value)) {
    const lines = Object.entries(value).map(([name, item]) => `${name}: ${oneLine(item)}`);
    return lines.length ? lines : ["none"];
  }
  return [oneLine(value)];
}

function oneLine(value: unknown): string {
  if (value === null || value === undefined) return "unknown";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((item) => oneLine(item)).join(", ") || "none";
  if (!isTable(value)) return String(value);
  const { name, ...rest } = value;
  const entries = Object.entries(rest).filter(([, item]) => item !== null && item !== false);
  const parts = entries.map(([key, item]) =>
    item === true ? spaced(key) : `${spaced(key)} ${nested(item)}`.trim(),
  );
  return (
    [name === undefined ? "" : String(name), parts.join(", ")].filter(Boolean).join(": ") || "none"
  );
}

function nested(value: unknown): string {
  return isTable(value) || Array.isArray(value) ? `(${oneLine(value)})` : oneLine(value);
}

function spaced(key: string): string {
  return key.replaceAll("_", " ");
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How a value is edited as text. */
export type ValueForm = "number" | "text" | "lines" | "json";

export function formOf(value: unknown): ValueForm {
  if (typeof value === "number") return "number";
  if (typeof value === "string") return "text";
  const isLines = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isLines ? "lines" : "json";
}

export function formatValue(value: unknown, form: ValueForm): string {
  if (form === "lines") return (value as string[]).join("\n");
  return form === "json" ? JSON.stringify(value ?? null, null, 2) : String(value);
}

/** Parses edited text; throws a SyntaxError for invalid JSON. */
export function parseValue(text: string, form: ValueForm): unknown {
  if (form === "number") return Number(text);
  if (form === "text") return text;
  if (form === "lines") return text.split("\n").filter((line) => line.trim());
  return JSON.parse(text);
}
