import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { imagesApi } from "~/images/api";
import { type BuilderWork, environmentOf, locationOf } from "./work";

const TYPING_PAUSE = 250;

/** A preview of the build, updated while typing. */
export function usePreview(work: BuilderWork) {
  const body = {
    environment: environmentOf(work),
    endpoint: locationOf(work),
    runtime: work.runtime as Schemas["PreviewRequest"]["runtime"],
  };
  const [settled] = useDebouncedValue(JSON.stringify(body), TYPING_PAUSE);
  return useQuery({
    queryKey: ["image-preview", settled],
    queryFn: () => imagesApi.preview(JSON.parse(settled) as typeof body),
    placeholderData: keepPreviousData,
  });
}
