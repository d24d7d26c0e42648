import type { Stage, Step } from "~/pipelines/api";

export type Bar = {
  name: string;
  step: Step;
  queued: number;
  /** From here on its program ran. */
  started: number;
  ended: number;
  isCritical: boolean;
};

/** One bar for each step that had a task of its own, in the order of the stages. */
export function barsOf(stages: Stage[], now: number): Bar[] {
  return stages.flatMap((stage) =>
    stage.steps
      .filter((step) => step.queued != null && step.state !== "cached")
      .map((step) => {
        const ended = step.ended ?? now;
        return {
          name: [stage.name, step.label].filter(Boolean).join(" "),
          step,
          queued: step.queued ?? now,
          started: Math.min(step.started ?? ended, ended),
          ended,
          isCritical: stage.is_critical,
        };
      }),
  );
}
