import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { showError } from "~/components/toasts";

export type Preferences = Schemas["Preferences"];

export const preferencesQuery = queryOptions({
  queryKey: keys.preferences,
  queryFn: () => dataOf(api.GET("/api/v1/me/preferences")),
  staleTime: 60_000,
});

/** Saves some preferences; the others stay unchanged. */
export function useSavePreferences(onSaved?: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: Partial<Preferences>) => {
      const current = await queries.ensureQueryData(preferencesQuery);
      return dataOf(api.PUT("/api/v1/me/preferences", { body: { ...current, ...change } }));
    },
    onSuccess: (saved) => {
      queries.setQueryData(keys.preferences, saved);
      onSaved?.();
    },
    onError: showError,
  });
}
