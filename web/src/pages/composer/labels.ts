import { ENVIRONMENT_LABELS } from "~/environment/labels";

/** What the form calls each field of the spec. A field that is only in the YAML is called as there. */
const LABELS: Record<string, string> = {
  name: "Name",
  run: "Command",
  notebook: "Notebook",
  code: "Code",
  params: "Parameters",
  on: "Endpoint",
  partition: "Partition",
  account: "Account",
  qos: "QoS",
  reservation: "Reservation",
  constraint: "Constraint",
  "resources.nodes": "Machines (nodes)",
  "resources.gpus_per_node": "GPUs on each",
  "resources.gpu_type": "Kind of GPU",
  "resources.cpus_per_task": "CPU cores",
  "resources.tasks_per_node": "Processes on each",
  "resources.memory": "Memory on each",
  "resources.walltime": "Time limit",
  launch: "Start it",
  "launch.hang": "Give up when it stands still for",
  "continue.on": "Go on by itself when",
  "continue.from": "Checkpoints",
  "continue.lead": "Warn before the end",
  "continue.max_attempts": "Attempts at most",
  "continue.ahead": "Queue the next attempt before this one ends",
  budget: "Budget",
  environment: "Environment",
  ...Object.fromEntries(
    Object.entries(ENVIRONMENT_LABELS).map(([name, label]) => [`environment.${name}`, label]),
  ),
  data: "Data",
  secrets: "Secrets",
};

/** Of the field, or of the nearest one that holds it. */
export function labelOf(path: string): string {
  const parts = path.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const label = LABELS[parts.slice(0, length).join(".")];
    if (label) return label;
  }
  return path;
}
