import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchRaw, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Image = Schemas["Image"];
export type Build = Schemas["Build"];
export type ImageTransfer = Schemas["ImageMove"];
export type Environment = Schemas["Environment"];

const pathOf = (image: string) => ({ params: { path: { image } } });
const idempotent = (key: string) => ({ "Idempotency-Key": key });

/** The name, or the digest if a newer image has taken the name. */
export function imageName(image: Pick<Image, "name" | "identity">): string {
  return image.name || shortIdentity(image.identity);
}

export function shortIdentity(identity: string): string {
  return identity.replace("sha256:", "").slice(0, 12);
}

export const imageQuery = (image: string) =>
  queryOptions({
    queryKey: [...keys.images, "one", image],
    queryFn: () => dataOf(api.GET("/api/v1/images/{image}", pathOf(image))),
  });

/** The first few matches, to choose from. */
export const imageSearchQuery = (search: string) =>
  queryOptions({
    queryKey: [...keys.images, "found", search],
    queryFn: () => dataOf(api.GET("/api/v1/images", { params: { query: { search, limit: 12 } } })),
  });

export function listImages(query: {
  search: string;
  endpoint: string;
  shared?: boolean;
  cursor?: string;
}) {
  return dataOf(api.GET("/api/v1/images", { params: { query: { ...query, limit: 50 } } }));
}

export const contentsQuery = (image: string) =>
  queryOptions({
    queryKey: [...keys.images, "contents", image],
    queryFn: () => dataOf(api.GET("/api/v1/images/{image}/contents", pathOf(image))),
  });

export const usesQuery = (image: string) =>
  queryOptions({
    queryKey: [...keys.tasks, "uses", image],
    queryFn: () => dataOf(api.GET("/api/v1/images/{image}/uses", pathOf(image))),
  });

export type DefinitionFormat = "definition" | "dockerfile" | "script";

export function definitionUrl(image: string, form: DefinitionFormat | ""): string {
  const query = form ? `?form=${form}` : "";
  return `/api/v1/images/${encodeURIComponent(image)}/definition${query}`;
}

export const definitionQuery = (image: string, form: DefinitionFormat | "") =>
  queryOptions({
    queryKey: [...keys.images, "definition", image, form],
    queryFn: async () => (await fetchRaw(definitionUrl(image, form))).text(),
  });

export const diffQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: [...keys.images, "diff", a, b],
    queryFn: () => dataOf(api.GET("/api/v1/images/diff", { params: { query: { a, b } } })),
    enabled: Boolean(a && b),
  });

export const buildQuery = (task: string) =>
  queryOptions({
    queryKey: keys.build(task),
    queryFn: () => dataOf(api.GET("/api/v1/images/builds/{task}", { params: { path: { task } } })),
  });

export const moveQuery = (move: string) =>
  queryOptions({
    queryKey: [...keys.images, "move", move],
    queryFn: () => dataOf(api.GET("/api/v1/images/moves/{move}", { params: { path: { move } } })),
  });

/** All calls about images. Errors are thrown as ProblemError. */
export const imagesApi = {
  preview: (body: Schemas["PreviewRequest"]) =>
    dataOf(api.POST("/api/v1/images/preview", { body })),
  import: (body: Schemas["ImportRequest"]) => dataOf(api.POST("/api/v1/images/import", { body })),
  build: (body: Schemas["BuildRequest"], key: string) =>
    dataOf(api.POST("/api/v1/images/builds", { body, params: { header: idempotent(key) } })),
  resume: (task: string, edits: Record<string, string>, key: string) =>
    dataOf(
      api.POST("/api/v1/images/builds/{task}/resume", {
        params: { path: { task }, header: idempotent(key) },
        body: { edits },
      }),
    ),
  cancelMove: (move: string) =>
    dataOf(api.POST("/api/v1/images/moves/{move}/cancel", { params: { path: { move } } })),
  rename: (image: string, name: string) =>
    dataOf(api.PATCH("/api/v1/images/{image}", { ...pathOf(image), body: { name } })),
  remove: (image: string) => dataOf(api.DELETE("/api/v1/images/{image}", pathOf(image))),
  copy: (image: string, body: Schemas["CopyRequest"]) =>
    dataOf(api.POST("/api/v1/images/{image}/copies", { ...pathOf(image), body })),
  push: (image: string, body: Schemas["PushRequest"]) =>
    dataOf(api.POST("/api/v1/images/{image}/push", { ...pathOf(image), body })),
  pull: (body: Schemas["PullRequest"]) => dataOf(api.POST("/api/v1/images/pull", { body })),
  prune: (body: Schemas["PruneRequest"]) => dataOf(api.POST("/api/v1/images/prune", { body })),
};
