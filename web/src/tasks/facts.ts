import type { Schemas, Task } from "~/api/client";
import { shortDigest } from "~/lib/text";

type Fact = [name: string, value: string];

/** How one run of an attempt ended; unknown for a run that was cut off. */
export function runEnd(run: Schemas["Run"], isRunning: boolean): string {
  if (run.exit_code != null) return `exit code ${run.exit_code}`;
  if (run.ended != null) return "ended";
  return isRunning ? "running" : "unknown";
}

/** The resources of a task, without what was left to the site. */
export function resourceFacts({ order, phase }: Pick<Task, "order" | "phase">): Fact[] {
  const { resources, placement, launch } = order;
  const gpus = resources?.gpus_per_node
    ? `${resources.gpus_per_node} ${resources.gpu_type} per node`.replace("  ", " ")
    : "";
  return knownFacts([
    ["Nodes", phase === "probing" ? "being measured" : resources?.nodes],
    ["GPUs", gpus],
    ["CPUs", resources?.cpus_per_task],
    ["Processes", (resources?.tasks_per_node ?? 1) > 1 && `${resources?.tasks_per_node} per node`],
    ["Launcher", launch && launch.kind !== "single" && launch.kind],
    ["Memory", resources?.memory_mb && `${memoryText(resources.memory_mb)} per node`],
    ["Time limit", resources?.walltime_minutes && minutesText(resources.walltime_minutes)],
    ["Partition", placement?.partition],
    ["Account", placement?.account],
    ["QoS", placement?.qos],
    ["Reservation", placement?.reservation],
    ["Constraint", placement?.constraint],
    ...Object.entries(placement?.options ?? {}),
  ]);
}

export function environmentFacts(order: Schemas["Order"]): Fact[] {
  const { environment, image } = order;
  return knownFacts([
    ["Image", image?.identity || image?.sha256],
    ["Base", environment?.base],
    ["Python", environment?.python],
    ["Packages", environment?.requirements?.join(", ")],
    ["System packages", environment?.system?.join(", ")],
    ...Object.entries(environment?.variables ?? {}),
  ]);
}

export function codeFacts({ code, order }: Task): Fact[] {
  return knownFacts([
    ["Git", order.code?.git_url],
    ["Commit", order.code?.git_commit || code?.commit],
    ["Uncommitted changes", code?.dirty ? "yes, see Changes" : ""],
    ["Files", code?.files],
    ["Snapshot", code?.snapshot && shortDigest(code.snapshot)],
  ]);
}

function knownFacts(facts: [string, string | number | undefined | null | false][]): Fact[] {
  return facts.filter(([, value]) => value).map(([name, value]) => [name, String(value)]);
}

function memoryText(megabytes: number): string {
  return megabytes >= 1024 ? `${Number((megabytes / 1024).toFixed(1))} GB` : `${megabytes} MB`;
}

export function minutesText(count: number): string {
  const hours = Math.floor(count / 60);
  const rest = count % 60;
  return [hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(" ");
}
