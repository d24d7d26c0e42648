import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { composeJob } from "~/jobs/api";
import { bodyOf, type Work } from "~/jobs/work";

const TYPING_PAUSE = 250;

/** What would become of the work so far: faults, limits, choices, cost. Asked as one types. */
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

/** The batch script, asked of the endpoint only while somebody looks at it. */
export function useScript(work: Work) {
  const { project = "" } = useSearch({ from: "/compose" });
  const [settled] = useDebouncedValue(work, TYPING_PAUSE);
  return useQuery({
    queryKey: ["compose", "script", project, JSON.stringify(bodyOf(settled))],
    queryFn: () => composeJob(settled, project, true),
    placeholderData: keepPreviousData,
  });
}
