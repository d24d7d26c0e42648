import { dayTime, duration, formatNumber } from "~/lib/format";
import type { Cell, RunColumn } from "./api";

const TITLES: Record<string, string> = {
  id: "Id",
  name: "Name",
  state: "State",
  reason: "Reason",
  exit_code: "Exit code",
  endpoint: "Endpoint",
  owner: "Owner",
  project: "Project",
  source: "Source",
  created: "Created",
  started: "Started",
  ended: "Ended",
  duration: "Duration",
  wait: "Wait",
  node_hours: "Node-hours",
  nodes: "Nodes",
  gpus: "GPUs",
  launch: "Launch",
  code: "Code",
  commit: "Commit",
  image: "Image",
  tags: "Tags",
  retry_of: "Retry of",
};
const SUFFIX: Record<string, string> = {
  min: "lowest",
  max: "highest",
  best: "best",
  step: "step",
};

/** `best.val/acc` is "val/acc, best". */
export function columnTitle(name: string): string {
  const known = TITLES[name];
  if (known) return known;
  const dot = name.indexOf(".");
  const rest = name.slice(dot + 1);
  const suffix = SUFFIX[name.slice(0, dot)];
  return suffix ? `${rest}, ${suffix}` : rest;
}

export function cellText(column: RunColumn, value: Cell): string {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return numberText(column.kind, value);
  if (column.name === "id") return value.slice(0, 8);
  if (value.startsWith("sha256:")) return value.slice(7, 19);
  return value;
}

export function isNumeric(column: RunColumn): boolean {
  return column.kind === "number" || column.kind === "seconds";
}

function numberText(kind: RunColumn["kind"], value: number): string {
  if (kind === "time") return dayTime(value);
  if (kind === "seconds") return duration(value);
  return formatNumber(value);
}
