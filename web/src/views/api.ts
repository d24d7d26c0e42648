import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { showError } from "~/components/toasts";

export type View = Schemas["View"];
export type ViewPage = View["page"];

const VIEWS = ["views"];

export const viewsQuery = (page: ViewPage) =>
  queryOptions({
    queryKey: [...VIEWS, page],
    queryFn: async () => {
      const found = await dataOf(api.GET("/api/v1/views", { params: { query: { page } } }));
      return found.items;
    },
    staleTime: 30_000,
  });

export function useSaveView(onSaved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["ViewBody"]) => dataOf(api.PUT("/api/v1/views", { body })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: VIEWS });
      onSaved();
    },
  });
}

export function useRemoveView() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (view: string) =>
      dataOf(api.DELETE("/api/v1/views/{view}", { params: { path: { view } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: VIEWS }),
    onError: showError,
  });
}
