import { bytes, count, MEGABYTE } from "~/lib/format";
import {
  type FactName,
  folderWords,
  limitWords,
  nodesWords,
  type Partition,
  type Scheduler,
  schedulerName,
} from "../facts";

/** A fact in the words of a person, where its shape is known; else as it is. */
export function factWords(name: FactName, value: unknown): string[] {
  try {
    return SPOKEN[name]?.(value as never) ?? factLines(value);
  } catch {
    return factLines(value); // A newer agent may tell it in another form.
  }
}

const SPOKEN: Partial<Record<FactName, (value: never) => string[]>> = {
  scheduler: (value: Scheduler) => [schedulerName(value)],
  memory_mb: (value: number) => [bytes(value * MEGABYTE)],
  partitions: (value: Partition[]) => value.map(partitionLine),
  flags: flagLines,
  free: (value: Record<string, Free>) =>
    Object.entries(value).map(([name, free]) => `${name}: ${freeWords(free)}`),
  folders: (value: Record<string, Folder>) =>
    Object.entries(value).map(
      ([name, folder]) => `${name}: ${folder.path}; ${folderWords(folder)}`,
    ),
};

type Folder = NonNullable<Parameters<typeof folderWords>[0]>;
type Free = Partial<
  Record<"nodes_idle" | "nodes_total" | "cpus_idle" | "gpus_idle" | "pending", number | null>
>;

/** Those that a job must mind; that a site takes the others goes without saying. */
function flagLines(flags: Record<string, string>): string[] {
  const special = Object.entries(flags).filter(([, answer]) => answer !== "takes");
  if (!special.length) return ["takes all that Diamond uses"];
  return special.map(([flag, answer]) => `${answer} --${flag}`);
}

function partitionLine(partition: Partition): string {
  const name = partition.default ? `${partition.name} (default)` : partition.name;
  const accounts = partition.accounts?.length ? `accounts ${partition.accounts.join(", ")}` : "";
  const words = [nodesWords(partition), limitWords(partition), accounts];
  return `${name}: ${words.filter(Boolean).join("; ")}`;
}

function freeWords(free: Free): string {
  const words = [
    free.nodes_idle != null && `${free.nodes_idle} of ${count(free.nodes_total ?? 0, "node")}`,
    free.cpus_idle != null && count(free.cpus_idle, "CPU"),
    free.gpus_idle != null && count(free.gpus_idle, "GPU"),
  ].filter(Boolean);
  const waiting = free.pending == null ? "" : `; ${count(free.pending, "job waits", "jobs wait")}`;
  return `${words.join(", ")}${waiting}`;
}

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
    one === true ? plain(key) : `${plain(key)} ${nested(one)}`.trim(),
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
