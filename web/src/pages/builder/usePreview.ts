import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { askImages } from "~/api/images";
import { type BuilderWork, environmentOf, placeOf } from "./work";

const PAUSE = 250;

/** What the environment would become, asked as one types. */
export function usePreview(work: BuilderWork) {
  const body = {
    environment: environmentOf(work),
    endpoint: placeOf(work),
    runtime: work.runtime as Schemas["PreviewRequest"]["runtime"],
  };
  const [settled] = useDebouncedValue(JSON.stringify(body), PAUSE);
  return useQuery({
    queryKey: ["image-preview", settled],
    queryFn: () => askImages.preview(JSON.parse(settled) as typeof body),
    placeholderData: keepPreviousData,
  });
}
