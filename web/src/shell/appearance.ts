import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Preferences, preferencesQuery, useKeepPreferences } from "~/api/me";

export type Appearance = Preferences["appearance"];

/** The look of the pages: kept by this browser, so that nothing flashes, and by the service for the others. */
export function useAppearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const keep = useKeepPreferences();
  const setAppearance = (chosen: Appearance) => {
    setColorScheme(chosen);
    keep.mutate({ appearance: chosen });
  };
  return { appearance: colorScheme, setAppearance };
}

/** Take over what was chosen in another browser. */
export function useKeptAppearance(): void {
  const { setColorScheme } = useMantineColorScheme();
  const { data } = useQuery(preferencesQuery);
  const kept = data?.appearance;
  useEffect(() => {
    if (kept) setColorScheme(kept);
  }, [kept, setColorScheme]);
}
