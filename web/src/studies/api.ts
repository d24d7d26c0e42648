import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Study = Schemas["Study"];
export type StudyDetail = Schemas["StudyDetail"];
export type TrialColumns = Schemas["TrialColumns"];
export type TrialCurves = Schemas["TrialCurves"];
export type Importances = Schemas["Importances"];
export type Dimension = Schemas["DimensionView"];

const pathOf = (study: string) => ({ params: { path: { study } } });

export function listStudies(query: { cursor?: string }) {
  return dataOf(api.GET("/api/v1/studies", { params: { query: { ...query, limit: 50 } } }));
}

export const studyQuery = (study: string) =>
  queryOptions({
    queryKey: [...keys.studies, "one", study],
    queryFn: () => dataOf(api.GET("/api/v1/studies/{study}", pathOf(study))),
  });

/** All trials, by column. */
export const columnsQuery = (study: string) =>
  queryOptions({
    queryKey: [...keys.studies, "columns", study],
    queryFn: () => dataOf(api.GET("/api/v1/studies/{study}/columns", pathOf(study))),
  });

export const curvesQuery = (study: string) =>
  queryOptions({
    queryKey: [...keys.studies, "curves", study],
    queryFn: () => dataOf(api.GET("/api/v1/studies/{study}/curves", pathOf(study))),
  });

export const importancesQuery = (study: string, objective: string) =>
  queryOptions({
    queryKey: [...keys.studies, "importances", study, objective],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/studies/{study}/importances", {
          params: { path: { study }, query: { objective } },
        }),
      ),
  });

/** All calls that change studies. Errors are thrown as ProblemError. */
export const studiesApi = {
  pause: (study: string) => dataOf(api.POST("/api/v1/studies/{study}/pause", pathOf(study))),
  resume: (study: string) => dataOf(api.POST("/api/v1/studies/{study}/resume", pathOf(study))),
  cancel: (study: string) => dataOf(api.POST("/api/v1/studies/{study}/cancel", pathOf(study))),
  raise: (study: string, body: Schemas["StudyChange"]) =>
    dataOf(api.PATCH("/api/v1/studies/{study}", { ...pathOf(study), body })),
  register: (study: string) =>
    dataOf(api.POST("/api/v1/studies/{study}/register", { ...pathOf(study), body: { model: "" } })),
  start: (body: Schemas["StudyRequest"], key: string) =>
    dataOf(api.POST("/api/v1/studies", { body, params: { header: { "Idempotency-Key": key } } })),
  stop: (study: string, number: number) =>
    dataOf(
      api.POST("/api/v1/studies/{study}/trials/{number}/stop", {
        params: { path: { study, number } },
      }),
    ),
};

export function exportAddress(study: string): string {
  return `/api/v1/studies/${encodeURIComponent(study)}/export`;
}
