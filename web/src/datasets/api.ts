import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Dataset = Schemas["Dataset"];
export type DatasetPlace = Schemas["DatasetPlace"];
export type DatasetVersion = Schemas["DatasetVersion"];
export type PreviewPart = Schemas["PreviewPart"];
export type PreviewColumn = Schemas["PreviewColumn"];
export type PreviewHistogram = Schemas["PreviewHistogram"];
export type DataCheck = Schemas["DataCheck"];
export type AddData = Schemas["AddDataRequest"];

const CHECK_PAUSE = 700;
const pathOf = (dataset: string) => ({ path: { dataset } });

export function listDatasets(query: { search: string; shared?: boolean; cursor?: string }) {
  return dataOf(api.GET("/api/v1/datasets", { params: { query: { ...query, limit: 50 } } }));
}

export const datasetQuery = (dataset: string) =>
  queryOptions({
    queryKey: [...keys.datasets, "one", dataset],
    queryFn: () => dataOf(api.GET("/api/v1/datasets/{dataset}", { params: pathOf(dataset) })),
  });

export const placesQuery = (dataset: string) =>
  queryOptions({
    queryKey: [...keys.datasets, "places", dataset],
    queryFn: () =>
      dataOf(api.GET("/api/v1/datasets/{dataset}/places", { params: pathOf(dataset) })),
  });

export const filesQuery = (dataset: string, version: string, folder: string) =>
  queryOptions({
    queryKey: [...keys.datasets, "files", dataset, version, folder],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/datasets/{dataset}/files", {
          params: { ...pathOf(dataset), query: { version, folder } },
        }),
      ),
  });

export const previewQuery = (dataset: string, version: string) =>
  queryOptions({
    queryKey: [...keys.datasets, "preview", dataset, version],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/datasets/{dataset}/preview", {
          params: { ...pathOf(dataset), query: { version } },
        }),
      ),
  });

export function makePreview(dataset: string, version: string) {
  return dataOf(
    api.POST("/api/v1/datasets/{dataset}/preview", {
      params: pathOf(dataset),
      body: { version, endpoint: "" },
    }),
  );
}

export function addData(body: AddData) {
  return dataOf(api.POST("/api/v1/datasets", { body }));
}

export function cancelAddition(addition: string) {
  return dataOf(
    api.POST("/api/v1/datasets/additions/{addition}/cancel", { params: { path: { addition } } }),
  );
}

export const datasetUsesQuery = (dataset: string) =>
  queryOptions({
    queryKey: [...keys.tasks, "data-uses", dataset],
    queryFn: () => dataOf(api.GET("/api/v1/datasets/{dataset}/uses", { params: pathOf(dataset) })),
  });

export function copyDataset(dataset: string, endpoint: string) {
  return dataOf(
    api.POST("/api/v1/datasets/{dataset}/copies", {
      params: pathOf(dataset),
      body: { endpoint, version: "" },
    }),
  );
}

/** Has a copy looked at, or the source of a version; resolves when that has ended. */
export async function checkDataset(
  dataset: string,
  body: { endpoint?: string; version: string; source?: boolean },
): Promise<DataCheck> {
  const asked = { endpoint: "", full: false, source: false, ...body };
  const { items } = await dataOf(
    api.POST("/api/v1/datasets/{dataset}/checks", { params: pathOf(dataset), body: asked }),
  );
  let check = items[0];
  while (check && (check.state === "waiting" || check.state === "running")) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_PAUSE));
    const path = { check: check.id };
    check = await dataOf(api.GET("/api/v1/datasets/checks/{check}", { params: { path } }));
  }
  if (!check) throw new Error("There is no copy to check.");
  return check;
}

export function pinDataset(dataset: string, place: DatasetPlace) {
  return dataOf(
    api.POST("/api/v1/datasets/{dataset}/pin", {
      params: pathOf(dataset),
      body: { endpoint: place.endpoint, version: place.version, pinned: !place.pinned },
    }),
  );
}

/** Everything that a job may name as data: own datasets and those that others share. */
export const datasetChoicesQuery = queryOptions({
  queryKey: [...keys.datasets, "choices"],
  queryFn: async () => {
    const [own, shared] = await Promise.all([
      listDatasets({ search: "" }),
      listDatasets({ search: "", shared: true }),
    ]);
    return { own: own.items, shared: shared.items };
  },
});
