import { Text, Tooltip } from "@mantine/core";
import { Fragment, useEffect, useState } from "react";
import { duration } from "~/lib/format";
import type { PipelineDetail } from "~/pipelines/api";
import { type Bar, barsOf } from "./bars";
import classes from "./Pipeline.module.css";

const MOST_BARS = 100;

/** When each step waited and ran, to scale. */
export function PipelineTimeline({ pipeline }: { pipeline: PipelineDetail }) {
  const now = useNow(pipeline.state === "running");
  const bars = barsOf(pipeline.stages, now);
  if (!bars.length) {
    return (
      <Text size="sm" c="dimmed">
        Nothing has run: every step was skipped, cached or has not started yet.
      </Text>
    );
  }
  const from = Math.min(...bars.map((bar) => bar.queued));
  const to = Math.max(from + 1, ...bars.map((bar) => bar.ended));
  const percent = (seconds: number) => `${(100 * seconds) / (to - from)}%`;
  return (
    <section aria-label="Timeline">
      <div className={classes.bars}>
        {bars.slice(0, MOST_BARS).map((bar) => (
          <Fragment key={`${bar.name} ${bar.step.n}`}>
            <Text size="xs" truncate>
              {bar.name}
            </Text>
            <Tooltip label={barText(bar)}>
              <div className={classes.track} role="img" aria-label={`${bar.name}: ${barText(bar)}`}>
                <div
                  className={classes.queued}
                  style={{
                    left: percent(bar.queued - from),
                    width: percent(bar.started - bar.queued),
                  }}
                />
                <div
                  className={classes.ran}
                  data-critical={bar.isCritical}
                  data-state={bar.step.state}
                  style={{
                    left: percent(bar.started - from),
                    width: percent(bar.ended - bar.started),
                  }}
                />
              </div>
            </Tooltip>
          </Fragment>
        ))}
      </div>
      <Text size="xs" c="dimmed" mt="xs">
        {duration(to - from)} in all. The first part of each bar is waiting, the second running.{" "}
        {bars.length > MOST_BARS && `The first ${MOST_BARS} of ${bars.length} steps are shown.`}
      </Text>
    </section>
  );
}

function barText({ queued, started, ended, step }: Bar): string {
  const cores = `${step.cpus} cores${step.gpus ? `, ${step.gpus} GPUs` : ""} on ${step.endpoint}`;
  return `waited ${duration(started - queued)}, ran ${duration(ended - started)}, ${cores}`;
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
