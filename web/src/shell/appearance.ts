import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Preferences, preferencesQuery, useKeepPreferences } from "~/api/me";

export type Appearance = Preferences["appearance"];
const OWN_CHOICE = "mantine-color-scheme-value";

/** The look of the pages: kept by this browser, so that nothing flashes, and by the service for others. */
export function useAppearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const keep = useKeepPreferences();
  const setAppearance = (chosen: Appearance) => {
    setColorScheme(chosen);
    keep.mutate({ appearance: chosen });
  };
  return { appearance: colorScheme, setAppearance };
}

/** Where this browser has no choice of its own, take the one that was made elsewhere. */
export function useKeptAppearance(): void {
  const { setColorScheme } = useMantineColorScheme();
  const { data } = useQuery(preferencesQuery);
  const kept = data?.appearance;
  useEffect(() => {
    if (kept && kept !== "auto" && !localStorage.getItem(OWN_CHOICE)) setColorScheme(kept);
  }, [kept, setColorScheme]);
}
