import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { coursesApi } from "~/courses/api";
import { asUserWrites } from "~/jobs/api";
import type { SpecDraft } from "~/jobs/spec/draft";
import { emptyWork, type Work } from "~/jobs/work";
import { tuningOf } from "~/models/api";
import type { ComposerSearch } from "../search";

/** What the form is filled in from; each source has its own draft. */
export type Source =
  | { kind: "command" }
  | { kind: "notebook" }
  | { kind: "recipe"; name: string }
  | { kind: "task"; id: string }
  | { kind: "image"; id: string }
  | { kind: "model"; id: string }
  | { kind: "assignment"; project: string; name: string };

/** The source named by the address, or null while a recipe or task must still be chosen. */
export function sourceOf(search: ComposerSearch): Source | null {
  const { assignment, project } = search;
  if (assignment && project) return { kind: "assignment", project, name: assignment };
  if (search.from) return { kind: "task", id: search.from };
  if (search.image) return { kind: "image", id: search.image };
  if (search.model) return { kind: "model", id: search.model };
  if (search.recipe) return { kind: "recipe", name: search.recipe };
  if (search.start === "recipe" || search.start === "task") return null;
  return { kind: search.start ?? "command" };
}

export function sourceKey(source: Source): string {
  if (source.kind === "task" || source.kind === "image" || source.kind === "model")
    return `${source.kind}.${source.id}`;
  if (source.kind === "assignment") return `assignment.${source.project}.${source.name}`;
  return source.kind === "recipe" ? `recipe.${source.name}` : source.kind;
}

export const sourceQuery = (source: Source) =>
  queryOptions({
    queryKey: ["compose-source", sourceKey(source)],
    queryFn: () => initialWork(source),
    structuralSharing: false, // It would copy exact numbers into plain objects.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

function initialWork(source: Source): Promise<Work> {
  if (source.kind === "task") return fromTask(source.id);
  if (source.kind === "assignment") return fromAssignment(source.project, source.name);
  if (source.kind === "recipe") return fromRecipe(source.name);
  if (source.kind === "image") return inImage(source.id);
  if (source.kind === "model") return fromModel(source.id);
  return newWork(source.kind === "notebook" ? { notebook: "" } : {});
}

async function newWork(spec: SpecDraft): Promise<Work> {
  const preferences = await dataOf(api.GET("/api/v1/me/preferences"));
  return emptyWork({ ...spec, ...locationOf(preferences) });
}

async function fromRecipe(name: string): Promise<Work> {
  const params = { path: { name } };
  const [recipe, preferences] = await Promise.all([
    dataOf(api.GET("/api/v1/recipes/{name}", { params })),
    dataOf(api.GET("/api/v1/me/preferences")),
  ]);
  const spec = await asUserWrites(recipe.spec);
  return { ...emptyWork({ ...spec, ...locationOf(preferences) }), recipe: name };
}

/** A job that uses an image, by name or, without one, by digest. */
async function inImage(id: string): Promise<Work> {
  const params = { path: { image: id } };
  const image = await dataOf(api.GET("/api/v1/images/{image}", { params }));
  return newWork({ environment: image.name || image.identity });
}

/** What made a version of a model, with that version as its data. */
async function fromModel(reference: string): Promise<Work> {
  const { spec, code, task } = await tuningOf(reference);
  const work = emptyWork(await asUserWrites(spec));
  return { ...work, code, codeName: code ? `Code of task ${task?.slice(0, 8)}` : "" };
}

async function fromTask(id: string): Promise<Work> {
  const task = await dataOf(api.GET("/api/v1/tasks/{task}", { params: { path: { task: id } } }));
  const job = await dataOf(api.GET("/api/v1/jobs/{job}", { params: { path: { job: task.job } } }));
  const work = emptyWork(await asUserWrites(job.spec));
  return { ...work, code: job.code, codeName: job.code ? `Code of ${job.name}` : "" };
}

async function fromAssignment(project: string, name: string): Promise<Work> {
  const { spec, code, title } = await coursesApi.getAssignment(project, name);
  const work = emptyWork(await asUserWrites(spec));
  return { ...work, code, codeName: code ? `Code of ${title || name}` : "" };
}

/** The defaults from the settings. */
function locationOf(preferences: Schemas["Preferences"]): SpecDraft {
  const { endpoint, partition, account } = preferences;
  return {
    ...(endpoint && { on: endpoint }),
    ...(partition && { partition }),
    ...(account && { account }),
  };
}
