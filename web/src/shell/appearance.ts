import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Preferences, preferencesQuery, useSavePreferences } from "~/people/preferences";

export type Appearance = Preferences["appearance"];
const STORAGE_KEY = "mantine-color-scheme-value";

/** The colour scheme: stored by this browser, so that nothing flashes, and by the service for other browsers. */
export function useAppearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const keep = useSavePreferences();
  const setAppearance = (chosen: Appearance) => {
    setColorScheme(chosen);
    keep.mutate({ appearance: chosen });
  };
  return { appearance: colorScheme, setAppearance };
}

/** Without a choice in this browser, use the one made elsewhere. */
export function useSavedAppearance(): void {
  const { setColorScheme } = useMantineColorScheme();
  const { data } = useQuery(preferencesQuery);
  const saved = data?.appearance;
  useEffect(() => {
    if (saved && saved !== "auto" && !localStorage.getItem(STORAGE_KEY)) setColorScheme(saved);
  }, [saved, setColorScheme]);
}
