import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { GIGABYTE } from "~/lib/format";

export type Limits = Required<Schemas["Limits"]>;
export type Usage = Schemas["Use"];
export type UsageLine = Schemas["UsageLine"];

export type UsageBy = "person" | "project";

/** In the units of the form. */
export function inGigabytes(limits: Schemas["Limits"]) {
  const { node_hours = null, running_tasks = null, storage_bytes = null } = limits;
  return {
    node_hours,
    running_tasks,
    gigabytes: storage_bytes == null ? null : storage_bytes / GIGABYTE,
  };
}

export function inBytes(values: ReturnType<typeof inGigabytes>): Limits {
  const { node_hours, running_tasks, gigabytes } = values;
  const storage_bytes = gigabytes == null ? null : Math.round(gigabytes * GIGABYTE);
  return { node_hours, running_tasks, storage_bytes };
}

const pathOf = (project: string) => ({ params: { path: { project } } });

export const myUsageQuery = queryOptions({
  queryKey: [...keys.usage, "mine"],
  queryFn: () => dataOf(api.GET("/api/v1/me/usage")),
});

export const projectLimitsQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.usage, "limits", project],
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}/limits", pathOf(project))),
  });

export const projectUsageQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.usage, "project", project],
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}/usage", pathOf(project))),
  });

export const defaultLimitsQuery = queryOptions({
  queryKey: [...keys.usage, "everyone"],
  queryFn: () => dataOf(api.GET("/api/v1/limits")),
});

export const allUsageQuery = (by: UsageBy, since: number) =>
  queryOptions({
    queryKey: [...keys.usage, "all", by, since],
    queryFn: () => dataOf(api.GET("/api/v1/usage", { params: { query: { by, since } } })),
  });

export const limitsApi = {
  setDefault: (body: Limits) => dataOf(api.PUT("/api/v1/limits", { body })),
  setForPerson: (user: string, body: Limits) =>
    dataOf(api.PUT("/api/v1/users/{user}/limits", { params: { path: { user } }, body })),
  setForProject: (project: string, body: Limits) =>
    dataOf(api.PUT("/api/v1/limits/projects/{project}", { ...pathOf(project), body })),
  setPerMember: (project: string, body: Limits) =>
    dataOf(api.PUT("/api/v1/projects/{project}/limits", { ...pathOf(project), body })),
};
