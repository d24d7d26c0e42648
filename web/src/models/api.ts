import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Model = Schemas["Model"];
export type ModelVersion = Schemas["ModelVersion"];
export type AliasMove = Schemas["AliasMove"];
export type Safety = Schemas["Safety"];

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

const versionPath = (model: string, version: number) => ({
  params: { path: { model, version: `v${version}` } },
});

export const safetyQuery = (model: string, version: number) =>
  queryOptions({
    queryKey: [...keys.models, "safety", model, version],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/models/{model}/versions/{version}/safety", versionPath(model, version)),
      ),
    refetchInterval: ({ state }) => (state.data?.state === "copying" ? 2000 : false),
  });

export const pushQuery = (push: string) =>
  queryOptions({
    queryKey: [...keys.models, "push", push],
    queryFn: () => dataOf(api.GET("/api/v1/model-pushes/{push}", { params: { path: { push } } })),
    refetchInterval: ({ state }) =>
      state.data && !["waiting", "running"].includes(state.data.state) ? false : 700,
  });

/** What a version was trained with, as a job that continues from it. `reference`: NAME@v3. */
export function tuningOf(reference: string) {
  const [model = "", version = "newest"] = reference.split("@");
  return dataOf(
    api.GET("/api/v1/models/{model}/versions/{version}/tuning", {
      params: { path: { model, version } },
    }),
  );
}

export const curvesAddress = (model: string, version: number) =>
  `/api/v1/models/${encodeURIComponent(model)}/versions/v${version}/curves`;

/** All calls that change models. Errors are thrown as ProblemError. */
export const modelsApi = {
  push: (model: string, body: Pick<Schemas["NewPush"], "endpoint" | "path">) =>
    dataOf(
      api.POST("/api/v1/models/{model}/pushes", {
        ...pathOf(model),
        body: body as Schemas["NewPush"],
      }),
    ),
  keep: (model: string, version: number) =>
    dataOf(api.POST("/api/v1/models/{model}/versions/{version}/keep", versionPath(model, version))),
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
