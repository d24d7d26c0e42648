import type { Endpoint, Schemas } from "~/api/client";
import { bytes, count, duration, MEGABYTE } from "~/lib/format";

export type Profile = Schemas["Profile"];
export type Partition = Schemas["Partition"];
export type Scheduler = Schemas["Scheduler"];
export type FactName = (typeof FACTS)[number]["name"];
type ValueOf<K extends FactName> = NonNullable<Schemas["Facts"][K]>["value"];

/** What a site profile may tell, in the order in which a person would ask. */
export const FACTS = [
  { name: "scheduler", label: "Batch system", about: "The program that queues and starts jobs." },
  { name: "cluster", label: "Cluster", about: "Agents of one cluster share its status questions." },
  { name: "partitions", label: "Partitions", about: "The queues: their nodes, GPUs and limits." },
  { name: "accounts", label: "Accounts", about: "Your allocations: who pays for a job." },
  { name: "qos", label: "Service classes (QOS)", about: "Priorities and limits of their own." },
  { name: "free", label: "Free now", about: "Nodes and GPUs that wait for work." },
  { name: "gpus", label: "GPUs of this machine", about: "Types, and how many of each." },
  { name: "cores", label: "Processor cores", about: "Of this machine." },
  { name: "memory_mb", label: "Memory", about: "Of this machine; corrected in MB." },
  {
    name: "flags",
    label: "Flags of the batch system",
    about: "Which ones the site takes, refuses or requires.",
  },
  { name: "modules", label: "Lines before the program", about: "Such as: module load python" },
  {
    name: "folders",
    label: "Folders",
    about: "Where things lie, how much fits, and when the site deletes old files.",
  },
  { name: "runtimes", label: "Container tools", about: "On login and on compute nodes." },
  { name: "internet", label: "Internet", about: "Reachable from login and from compute nodes?" },
  { name: "python", label: "Python", about: "Versions on login and on compute nodes." },
  { name: "charge", label: "Charge rates", about: "Units for one node and hour." },
] as const;

/** The value that holds, as the service judges it. */
export function factOf<K extends FactName>(profile: Profile, name: K): ValueOf<K> | undefined {
  return (profile.values?.[name] ?? undefined) as ValueOf<K> | undefined;
}

/** "Slurm 22.05.8". */
export function schedulerWords(profile: Profile): string {
  const scheduler = factOf(profile, "scheduler");
  return scheduler ? schedulerName(scheduler) : "not probed yet";
}

export function schedulerName({ name, version, abilities }: Scheduler): string {
  if (abilities?.runs_on_this_node) return "no queue, jobs start at once";
  const shown = name.charAt(0).toUpperCase() + name.slice(1);
  return [shown, version].filter(Boolean).join(" ");
}

/** "alice@login1", or nothing before it has called. */
export function placeWords(endpoint: Pick<Endpoint, "user" | "host">): string {
  return endpoint.host ? `${endpoint.user}@${endpoint.host}` : "";
}

const CARRIERS: Record<Endpoint["carrier"], string> = {
  local: "this machine",
  ssh: "over your ssh",
  https: "by pairing",
};

export function carrierWords(endpoint: Pick<Endpoint, "carrier">): string {
  return CARRIERS[endpoint.carrier];
}

/** "4 × a100, 2 × v100"; empty where there are none. */
export function gpuWords(gpus: Record<string, number> | null | undefined): string {
  return Object.entries(gpus ?? {})
    .filter(([, many]) => many > 0)
    .map(([type, many]) => `${many} × ${type}`)
    .join(", ");
}

/** "at most 2 h, 4 nodes"; empty where the site sets no limit. */
export function limitWords(partition: Partition): string {
  const words = [
    partition.max_minutes != null && duration(partition.max_minutes * 60),
    partition.max_nodes != null && count(partition.max_nodes, "node"),
    partition.submit_limit != null && count(partition.submit_limit, "job"),
  ].filter(Boolean);
  return words.length ? `at most ${words.join(", ")}` : "";
}

/** The tools that are there, "apptainer 1.1.9"; a version that nobody told is left out. */
export function toolWords(tools: Record<string, string> | null | undefined): string[] {
  return Object.entries(tools ?? {}).map(([name, version]) => `${name} ${version}`.trim());
}

/** Default first, then those with GPUs, then by name. */
export function inOrder(partitions: Partition[]): Partition[] {
  const rank = (one: Partition) => (one.default ? 0 : gpuWords(one.gpus_per_node) ? 1 : 2);
  return [...partitions].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

export type Room = { free: number; total: number; unit: string };

/** What is free of a partition: its GPUs where it has some, else its nodes. */
export function roomOf(profile: Profile, partition: Partition): Room | null {
  const now = factOf(profile, "free")?.[partition.name];
  if (!now) return null;
  const nodes = now.nodes_total ?? partition.nodes_total ?? 0;
  const gpus = sum(Object.values(partition.gpus_per_node ?? {})) * nodes;
  if (gpus > 0 && now.gpus_idle != null) return { free: now.gpus_idle, total: gpus, unit: "GPU" };
  return now.nodes_idle == null ? null : { free: now.nodes_idle, total: nodes, unit: "node" };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** "2 nodes with 8 CPUs, 16.0 GB, 4 × a100". */
export function nodesWords(partition: Partition): string {
  const { nodes_total: nodes, cpus_per_node: cpus, memory_mb_per_node: memory } = partition;
  const each = [
    cpus != null && count(cpus, "CPU"),
    memory != null && bytes(memory * MEGABYTE),
    gpuWords(partition.gpus_per_node),
  ].filter(Boolean);
  const many = nodes == null ? "nodes" : count(nodes, "node");
  return each.length ? `${many} with ${each.join(", ")}` : many;
}

export const FOLDER_WORDS: Record<string, string> = {
  keep: "Keep (key, secrets)",
  work: "Work (runs, environments)",
  tmp: "Temporary",
};

type Folder = NonNullable<ReturnType<typeof factOf<"folders">>>[string];

/** "75.4 GB free, quota 1.0 TB, files are deleted after 30 days". */
export function folderWords(folder: Folder | undefined): string {
  if (!folder) return "";
  const words = [
    folder.free_bytes != null && `${bytes(folder.free_bytes)} free`,
    folder.quota_bytes && `quota ${bytes(folder.quota_bytes)}`,
    folder.quota_files && `at most ${count(folder.quota_files, "file")}`,
    folder.purge_days && `files are deleted after ${count(Number(folder.purge_days), "day")}`,
  ];
  return words.filter(Boolean).join(", ");
}

/** "1,204.5 node-hours left"; sites that tell what is left of an allocation do so under these names. */
export function balanceWords(account: object): string {
  const { balance, unit } = account as { balance?: number | null; unit?: string };
  return balance == null ? "" : `${balance.toLocaleString()} ${unit ?? "units"} left`;
}
