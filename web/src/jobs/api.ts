import { api, dataOf, type Schemas } from "~/api/client";
import { coursesApi } from "~/courses/api";
import type { SpecDraft } from "./spec/draft";
import { parseExact } from "./spec/exactJson";
import { bodyOf, type Work } from "./work";

export type Composition = Schemas["Composition"];
export type Fault = Schemas["Fault"];
export type TextFault = Schemas["TextFault"];
export type ParsedYaml = { spec: SpecDraft | null; faults: TextFault[] };

export async function parseYaml(yaml: string): Promise<ParsedYaml> {
  const call = api.POST("/api/v1/spec/parse", { body: { yaml }, parseAs: "text" });
  return parseExact(await dataOf<string>(call as Promise<{ data?: string }>)) as ParsedYaml;
}

export async function renderYaml(spec: SpecDraft): Promise<string> {
  const body = { spec: spec as Schemas["Spec"] };
  return (await dataOf(api.POST("/api/v1/spec/render", { body }))).yaml;
}

export function composeJob(work: Work, project: string, script: boolean): Promise<Composition> {
  const body = { ...bodyOf(work), project };
  return dataOf(api.POST("/api/v1/jobs/compose", { body, params: { query: { script } } }));
}

export type Destination = { project: string; assignment: string };

/** Submits to a project, or as your own copy of an assignment. */
export function submitJob(work: Work, destination: Destination, goal: Schemas["Goal"] | null) {
  const { project, assignment } = destination;
  if (assignment) {
    const { spec, code } = bodyOf(work);
    return coursesApi.runAssignment(
      project,
      assignment,
      { on: "", spec, code: code ?? null },
      work.key,
    );
  }
  const params = { header: { "Idempotency-Key": work.key } };
  return dataOf(api.POST("/api/v1/jobs", { body: { ...bodyOf(work), project, goal }, params }));
}

/** A stored spec as a person would write it: no defaults, 4GB instead of megabytes. */
export async function asUserWrites(spec: SpecDraft): Promise<SpecDraft> {
  return (await parseYaml(await renderYaml(spec))).spec ?? spec;
}
