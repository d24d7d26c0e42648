import { ENVIRONMENT_LABELS } from "~/images/environment/labels";

/** Labels of the spec's fields. A field that only exists in YAML is shown by its path. */
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
  "resources.nodes": "Nodes",
  "resources.gpus_per_node": "GPUs per node",
  "resources.gpu_type": "GPU type",
  "resources.cpus_per_task": "CPU cores",
  "resources.tasks_per_node": "Processes per node",
  "resources.memory": "Memory per node",
  "resources.walltime": "Time limit",
  launch: "Launcher",
  "launch.hang": "Stop if no progress for",
  "continue.on": "Continue automatically when",
  "continue.from": "Checkpoints",
  "continue.lead": "Warning before the limit",
  "continue.max_attempts": "Maximum attempts",
  "continue.ahead": "Queue the next attempt early",
  budget: "Budget",
  environment: "Environment",
  ...Object.fromEntries(
    Object.entries(ENVIRONMENT_LABELS).map(([name, label]) => [`environment.${name}`, label]),
  ),
  "study.objective": "Objective",
  "study.space": "Space",
  "study.trials": "Trials",
  "study.parallel": "At the same time",
  "study.pack": "Packed together",
  "study.sampler": "Sampler",
  "study.pruner": "Pruner",
  "study.budget": "Budget of the search",
  study: "Search",
  data: "Data",
  secrets: "Secrets",
};

/** The label of the field, or of the nearest field that contains it. */
export function labelOf(path: string): string {
  const parts = path.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const label = LABELS[parts.slice(0, length).join(".")];
    if (label) return label;
  }
  return path;
}
