import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Model = Schemas["Model"];
export type ModelVersion = Schemas["ModelVersion"];
export type AliasMove = Schemas["AliasMove"];

const pathOf = (model: string) => ({ params: { path: { model } } });

export function listModels(query: { search: string; cursor?: string }) {
  return dataOf(api.GET("/api/v1/models", { params: { query: { ...query, limit: 50 } } }));
}

export const modelQuery = (model: string) =>
  queryOptions({
    queryKey: [...keys.models, "one", model],
    queryFn: () => dataOf(api.GET("/api/v1/models/{model}", pathOf(model))),
  });

export function listVersions(model: string, cursor?: string) {
  return dataOf(
    api.GET("/api/v1/models/{model}/versions", {
      params: { path: { model }, query: { cursor, limit: 50 } },
    }),
  );
}

export const cardQuery = (model: string) =>
  queryOptions({
    queryKey: [...keys.models, "card", model],
    queryFn: () => dataOf(api.GET("/api/v1/models/{model}/card", pathOf(model))),
  });

export const historyQuery = (model: string) =>
  queryOptions({
    queryKey: [...keys.models, "history", model],
    queryFn: () => dataOf(api.GET("/api/v1/models/{model}/aliases", pathOf(model))),
  });

/** All calls that change models. Errors are thrown as ProblemError. */
export const modelsApi = {
  change: (model: string, body: Schemas["ChangeModel"]) =>
    dataOf(api.PATCH("/api/v1/models/{model}", { ...pathOf(model), body })),
  remove: (model: string) => dataOf(api.DELETE("/api/v1/models/{model}", pathOf(model))),
  setAlias: (model: string, alias: string, version: number) =>
    dataOf(
      api.PUT("/api/v1/models/{model}/aliases/{alias}", {
        params: { path: { model, alias } },
        body: { version },
      }),
    ),
  removeAlias: (model: string, alias: string) =>
    dataOf(
      api.DELETE("/api/v1/models/{model}/aliases/{alias}", { params: { path: { model, alias } } }),
    ),
};
