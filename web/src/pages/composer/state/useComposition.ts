import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { composeJob } from "~/jobs/api";
import { bodyOf, type Work } from "~/jobs/work";

const TYPING_PAUSE = 250;

/** What the service makes of the draft so far: faults, limits, choices, cost. Updated while typing. */
export function useComposition(work: Work) {
  const { project = "" } = useSearch({ from: "/compose" });
  const [settled] = useDebouncedValue(work, TYPING_PAUSE);
  const answer = useQuery({
    queryKey: ["compose", project, JSON.stringify(bodyOf(settled))],
    queryFn: () => composeJob(settled, project, false),
    placeholderData: keepPreviousData,
  });
  return { ...answer, isCurrent: settled === work && !answer.isPlaceholderData };
}

/** The batch script, requested from the endpoint only while it is shown. */
export function useScript(work: Work) {
  const { project = "" } = useSearch({ from: "/compose" });
  const [settled] = useDebouncedValue(work, TYPING_PAUSE);
  return useQuery({
    queryKey: ["compose", "script", project, JSON.stringify(bodyOf(settled))],
    queryFn: () => composeJob(settled, project, true),
    placeholderData: keepPreviousData,
  });
}
