import type { Schemas } from "~/api/client";
import type { Environment } from "~/images/api";
import type { SpecDraft } from "~/jobs/spec/draft";
import { randomKey } from "~/lib/randomKey";
import type { StepName } from "./search";

/** Everything entered in the builder; `spec` is the environment. */
export type BuilderWork = {
  spec: SpecDraft;
  /** The image's name; if empty, the service chooses one. */
  name: string;
  endpoint: string;
  partition: string;
  account: string;
  walltime: string;
  memory: string;
  runtime: string;
  upgrade: boolean;
  /** The imported file, and what was skipped. */
  imported: ImportedFile | null;
  key: string;
};

export type ImportedFile = { name: string; leftOut: string[]; copies: Record<string, string> };

export function emptyBuild(spec: SpecDraft = {}): BuilderWork {
  return {
    spec,
    name: "",
    endpoint: "auto",
    partition: "",
    account: "",
    walltime: "",
    memory: "",
    runtime: "",
    upgrade: false,
    imported: null,
    key: randomKey(),
  };
}

/** The body of the build call. The generated types only know complete environments. */
export function requestOf(work: BuilderWork): Schemas["BuildRequest"] {
  const { name, runtime, upgrade, walltime, memory } = work;
  return {
    environment: environmentOf(work),
    name: name.trim(),
    endpoint: locationOf(work),
    runtime: runtime as Schemas["BuildRequest"]["runtime"],
    upgrade,
    account: work.account.trim() || "auto",
    resources: {
      ...(walltime.trim() && { walltime: walltime.trim() }),
      ...(memory.trim() && { memory: memory.trim() }),
    },
  };
}

export function environmentOf(work: Pick<BuilderWork, "spec">): Environment {
  return work.spec as Environment;
}

export function locationOf({ endpoint, partition }: BuilderWork): string {
  const queue = partition.trim();
  return queue && endpoint !== "auto" ? `${endpoint}/${queue}` : endpoint;
}

const STEP_OF: Record<string, StepName> = {
  on: "endpoint",
  endpoint: "endpoint",
  partition: "endpoint",
  account: "endpoint",
  resources: "endpoint",
  base: "base",
  accelerator: "dependencies",
  system: "dependencies",
  python: "dependencies",
  requirements: "dependencies",
  lock: "dependencies",
  inherit: "dependencies",
  variables: "variables",
  files: "commands",
  commands: "commands",
  test: "commands",
};

/** The step that contains a field; fields without one are shown in the review. */
export function stepOf(field: string): StepName {
  return STEP_OF[field.split(".")[0] ?? ""] ?? "review";
}
