import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { showError } from "~/components/say";
import { api, dataOf, type Schemas } from "./client";
import { keys } from "./queries";

export type Preferences = Schemas["Preferences"];

export const preferencesQuery = queryOptions({
  queryKey: keys.preferences,
  queryFn: () => dataOf(api.GET("/api/v1/me/preferences")),
  staleTime: 60_000,
});

/** Keep some of the person's preferences; the rest stays as the service has it. */
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
