import { useMemo } from "react";
import type { PlannedStage, Stage } from "~/pipelines/api";
import { PipelineGraph } from "~/pipelines/PipelineGraph";

const choose = () => undefined;

/** The graph of a pipeline that has not run. */
export function PlannedGraph({ stages }: { stages: PlannedStage[] }) {
  const planned = useMemo(() => stages.map(asStage), [stages]);
  const shape = stages.map(({ name, parents }) => `${name}:${parents}`).join(" ");
  return <PipelineGraph key={shape} stages={planned} chosen="" choose={choose} />;
}

function asStage(stage: PlannedStage): Stage {
  return { ...stage, state: "waiting", is_critical: false, steps: [] };
}
