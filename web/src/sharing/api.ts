import { api, dataOf, type Schemas } from "~/api/client";

export type Share = Schemas["Share"];
export type Recipient = Share["with_kind"];

/** How one kind of item is shared. */
export type Sharing = {
  list: () => Promise<{ items: Share[] }>;
  add: (kind: Recipient, id: string) => Promise<{ items: Share[] }>;
  stop: (kind: Recipient, id: string) => Promise<unknown>;
};

export function jobSharing(job: string): Sharing {
  const path = { job };
  return {
    list: () => dataOf(api.GET("/api/v1/jobs/{job}/shares", { params: { path } })),
    add: (with_kind, with_id) =>
      dataOf(
        api.POST("/api/v1/jobs/{job}/shares", { params: { path }, body: { with_kind, with_id } }),
      ),
    stop: (with_kind, with_id) =>
      dataOf(
        api.DELETE("/api/v1/jobs/{job}/shares", {
          params: { path, query: { with_kind, with_id } },
        }),
      ),
  };
}

export function imageSharing(image: string): Sharing {
  const path = { image };
  return {
    list: () => dataOf(api.GET("/api/v1/images/{image}/shares", { params: { path } })),
    add: (with_kind, with_id) =>
      dataOf(
        api.POST("/api/v1/images/{image}/shares", {
          params: { path },
          body: { with_kind, with_id },
        }),
      ),
    stop: (with_kind, with_id) =>
      dataOf(
        api.DELETE("/api/v1/images/{image}/shares", {
          params: { path, query: { with_kind, with_id } },
        }),
      ),
  };
}

export function modelSharing(model: string): Sharing {
  const path = { model };
  return {
    list: () => dataOf(api.GET("/api/v1/models/{model}/shares", { params: { path } })),
    add: (with_kind, with_id) =>
      dataOf(
        api.POST("/api/v1/models/{model}/shares", {
          params: { path },
          body: { with_kind, with_id },
        }),
      ),
    stop: (with_kind, with_id) =>
      dataOf(
        api.DELETE("/api/v1/models/{model}/shares", {
          params: { path, query: { with_kind, with_id } },
        }),
      ),
  };
}

export function pipelineSharing(pipeline: string): Sharing {
  const path = { pipeline };
  return {
    list: () => dataOf(api.GET("/api/v1/pipelines/{pipeline}/shares", { params: { path } })),
    add: (with_kind, with_id) =>
      dataOf(
        api.POST("/api/v1/pipelines/{pipeline}/shares", {
          params: { path },
          body: { with_kind, with_id },
        }),
      ),
    stop: (with_kind, with_id) =>
      dataOf(
        api.DELETE("/api/v1/pipelines/{pipeline}/shares", {
          params: { path, query: { with_kind, with_id } },
        }),
      ),
  };
}

export function datasetSharing(dataset: string): Sharing {
  const path = { dataset };
  return {
    list: () => dataOf(api.GET("/api/v1/datasets/{dataset}/shares", { params: { path } })),
    add: (with_kind, with_id) =>
      dataOf(
        api.POST("/api/v1/datasets/{dataset}/shares", {
          params: { path },
          body: { with_kind, with_id },
        }),
      ),
    stop: (with_kind, with_id) =>
      dataOf(
        api.DELETE("/api/v1/datasets/{dataset}/shares", {
          params: { path, query: { with_kind, with_id } },
        }),
      ),
  };
}

/** Shares the profile only: what the machine offers, never the right to run there as its owner. */
export function endpointSharing(name: string): Sharing {
  const path = { name };
  return {
    list: () => dataOf(api.GET("/api/v1/endpoints/{name}/shares", { params: { path } })),
    add: (with_kind, with_id) =>
      dataOf(
        api.POST("/api/v1/endpoints/{name}/shares", {
          params: { path },
          body: { with_kind, with_id },
        }),
      ),
    stop: (with_kind, with_id) =>
      dataOf(
        api.DELETE("/api/v1/endpoints/{name}/shares", {
          params: { path, query: { with_kind, with_id } },
        }),
      ),
  };
}
