import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import type { SpecDraft } from "~/jobs/spec/draft";

export type Pipeline = Schemas["Pipeline"];
export type PipelineDetail = Schemas["PipelineDetail"];
export type Stage = Schemas["Stage"];
export type Step = Schemas["Step"];
export type PlannedStage = Schemas["PlannedStage"];

const pathOf = (pipeline: string) => ({ path: { pipeline } });

export function listPipelines(cursor?: string) {
  return dataOf(api.GET("/api/v1/pipelines", { params: { query: { limit: 50, cursor } } }));
}

export const pipelineQuery = (pipeline: string) =>
  queryOptions({
    queryKey: [...keys.pipelines, "one", pipeline],
    queryFn: () => dataOf(api.GET("/api/v1/pipelines/{pipeline}", { params: pathOf(pipeline) })),
  });

export function cancelPipeline(pipeline: string) {
  return dataOf(api.POST("/api/v1/pipelines/{pipeline}/cancel", { params: pathOf(pipeline) }));
}

/** Without stages: everything that did not succeed. */
export function retryPipeline(pipeline: string, stages: string[]) {
  return dataOf(
    api.POST("/api/v1/pipelines/{pipeline}/retry", { params: pathOf(pipeline), body: { stages } }),
  );
}

/** As a new pipeline, with everything from these stages on. */
export function runAgain(pipeline: string, startFrom: string[]) {
  return dataOf(
    api.POST("/api/v1/pipelines/{pipeline}/again", {
      params: pathOf(pipeline),
      body: { force: [], start_from: startFrom },
    }),
  );
}

/** The graph and the faults of a spec that is still being written. */
export function composePipeline(spec: SpecDraft) {
  const body = { spec: spec as Schemas["Spec"], project: "", recipe: "" };
  return dataOf(api.POST("/api/v1/pipelines/compose", { body }));
}

export function submitPipeline(spec: SpecDraft, key: string) {
  const body = {
    spec: spec as Schemas["Spec"],
    project: "",
    recipe: "",
    spec_file: "",
    force: [],
    start_from: [],
  };
  return dataOf(
    api.POST("/api/v1/pipelines", { body, params: { header: { "Idempotency-Key": key } } }),
  );
}
