import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { parseYaml, renderYaml, type TextFault } from "~/jobs/api";
import type { DraftState } from "~/jobs/useDraft";
import { fromText } from "~/jobs/work";

const TYPING_PAUSE = 300;

export type YamlState = {
  text: string;
  faults: TextFault[];
  /** The text is not valid YAML; the form shows the last valid version. */
  isBroken: boolean;
  error: Error | null;
  type: (text: string) => void;
  replaced: string | null;
};

/** The spec as text, in sync with the form in both directions. The service parses and renders it. */
export function useYaml({ work, change, settle }: DraftState): YamlState {
  const typed = useTyped(work.yaml, settle);
  const isUntouched = Object.keys(work.spec).length === 0;
  const rendered = useRendered(work.spec, work.yaml === null && !isUntouched);
  const last = useRef("");
  if (isUntouched) last.current = "";
  else if (work.yaml === null && rendered.data !== undefined) last.current = rendered.data;
  return {
    text: work.yaml ?? last.current,
    faults: work.yaml === null ? [] : (typed.data?.faults ?? []),
    isBroken: work.yaml !== null && typed.data?.spec === null,
    error: work.yaml === null ? rendered.error : typed.error,
    type: (text) => change((now) => fromText(now, text)),
    replaced: work.replaced,
  };
}

function useTyped(yaml: string | null, settle: DraftState["settle"]) {
  const [settled] = useDebouncedValue(yaml, TYPING_PAUSE);
  const answer = useQuery({
    queryKey: ["spec-parse", settled],
    queryFn: () => parseYaml(settled ?? ""),
    enabled: settled !== null,
    structuralSharing: false, // It would copy exact numbers into plain objects.
    placeholderData: keepPreviousData,
  });
  const spec = answer.isPlaceholderData ? null : answer.data?.spec;
  const isCurrent = settled === yaml && yaml !== null;
  useEffect(() => {
    if (isCurrent && spec) settle(spec);
  }, [isCurrent, spec, settle]);
  return answer;
}

function useRendered(spec: Parameters<typeof renderYaml>[0], enabled: boolean) {
  const [settled] = useDebouncedValue(spec, TYPING_PAUSE);
  return useQuery({
    queryKey: ["spec-render", JSON.stringify(settled)],
    queryFn: () => renderYaml(settled),
    enabled,
    placeholderData: keepPreviousData,
  });
}
