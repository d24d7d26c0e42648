import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Summary, summariesQuery } from "../summaries";

const AT_ONCE = 50;

/** The summaries of a long list's visible tasks, fetched in fixed groups so that scrolling asks for each once. */
export function useSummaries(
  ids: readonly string[],
  visible: { first: number; last: number },
  isNeeded: boolean,
): Map<string, Summary> {
  const groups = useMemo(() => {
    if (!isNeeded) return [];
    const from = Math.floor(visible.first / AT_ONCE);
    const to = Math.floor(visible.last / AT_ONCE);
    const numbers = Array.from({ length: to - from + 1 }, (_, n) => from + n);
    return numbers.map((n) => ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE)).filter((g) => g.length);
  }, [ids, visible.first, visible.last, isNeeded]);
  return useQueries({
    queries: groups.map((group) => summariesQuery([...group])),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => data ?? []).map((one) => [one.task, one])),
  });
}
