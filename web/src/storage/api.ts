import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type MyStorage = Schemas["MyStorage"];
export type PersonStorage = Schemas["PersonStorage"];
export type StoredCode = Schemas["StoredCode"];
export type StorageDefaults = Schemas["StorageDefaults"];

export const myStorageQuery = queryOptions({
  queryKey: [...keys.storage, "mine"],
  queryFn: () => dataOf(api.GET("/api/v1/storage")),
});

export const storedCodeQuery = queryOptions({
  queryKey: [...keys.storage, "code"],
  queryFn: () => dataOf(api.GET("/api/v1/storage/code")),
});

export const storageOfPeopleQuery = queryOptions({
  queryKey: [...keys.storage, "people"],
  queryFn: () => dataOf(api.GET("/api/v1/storage/people")),
});

export const storageDefaultsQuery = queryOptions({
  queryKey: [...keys.storage, "defaults"],
  queryFn: () => dataOf(api.GET("/api/v1/storage/defaults")),
});

export const storageApi = {
  setOwnRetention: (body: { days: number | null; code_days: number | null }) =>
    dataOf(api.PUT("/api/v1/storage/retention", { body })),
  removeCode: (digest: string) =>
    dataOf(
      api.DELETE("/api/v1/storage/code/{digest}", {
        params: { path: { digest }, query: { recorded: true } },
      }),
    ),
  removeUnusedCode: () => dataOf(api.DELETE("/api/v1/storage/code/unused")),
  setDefaults: (body: StorageDefaults) => dataOf(api.PUT("/api/v1/storage/defaults", { body })),
  archive: (task: string) =>
    dataOf(api.POST("/api/v1/tasks/{task}/archive", { params: { path: { task } } })),
};
