import { Group, Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import type { Schemas, Task } from "~/api/client";
import { clockTime, duration, exactTime, shortDuration } from "~/lib/format";
import { isOver } from "~/tasks/state";
import classes from "./Timeline.module.css";
import {
  type Lane,
  lanesOf,
  MAX_LANES,
  mergedSpans,
  type Phase,
  type Span,
  totals,
} from "./timelineSpans";

const PHASE_LABELS: Record<Phase, string> = {
  prepared: "Preparing",
  waited: "In queue",
  ran: "Running",
  ended: "Finishing",
};
const TICKS = 5;

/** Phases, attempts and runs, drawn to scale. */
export function Timeline({ task, history }: { task: Task; history: Schemas["HistoryLine"][] }) {
  const now = useNow(!isOver(task));
  const lanes = lanesOf(task, history, now);
  const spans = lanes.flatMap((lane) => lane.spans);
  const from = task.created;
  const to = Math.max(from + 1, ...spans.map((span) => span.to));
  const position = (at: number) => `${(100 * (at - from)) / (to - from)}%`;
  return (
    <div>
      <div className={classes.chart}>
        {lanes.length > MAX_LANES ? (
          <SingleLane lanes={lanes} position={position} />
        ) : (
          lanes.map((lane) => (
            <LaneRow
              key={lane.attempt}
              lane={lane}
              isNamed={lanes.length > 1}
              position={position}
            />
          ))
        )}
        <div className={classes.axis} aria-hidden>
          {Array.from({ length: TICKS }, (_, n) => from + ((to - from) * n) / (TICKS - 1)).map(
            (at, n) => (
              <span
                key={at}
                className={classes.tick}
                data-edge={edge(n)}
                style={{ left: position(at) }}
              >
                {n === 0 ? clockTime(at) : `+${shortDuration(at - from)}`}
              </span>
            ),
          )}
        </div>
      </div>
      <Legend lanes={lanes} />
    </div>
  );
}

function edge(n: number): string | undefined {
  return n === 0 ? "first" : n === TICKS - 1 ? "last" : undefined;
}

type Position = (at: number) => string;
type LaneProps = { lane: Lane; isNamed: boolean; position: Position };

function LaneRow({ lane, isNamed, position }: LaneProps) {
  return (
    <div className={classes.lane}>
      {isNamed && (
        <span className={classes.name}>
          Attempt {lane.attempt}
          {lane.ending && `: ${lane.ending}`}
        </span>
      )}
      <div className={classes.track}>
        {lane.spans.map((span) => (
          <Tooltip key={`${span.phase} ${span.from}`} label={spanText(span)} multiline maw={320}>
            <div
              role="img"
              aria-label={spanText(span)}
              className={classes.span}
              data-phase={span.phase}
              data-open={span.open || undefined}
              style={styleOf(span, position)}
            >
              {span.phase === "ran" && lane.runs > 1 && (
                <span className={classes.run} aria-hidden>
                  run {span.run}
                </span>
              )}
            </div>
          </Tooltip>
        ))}
      </div>
    </div>
  );
}

/** A long chain in one lane: when its program ran, and when it did not. */
function SingleLane({ lanes, position }: { lanes: Lane[]; position: Position }) {
  const sums = [...totals(lanes)].map(([phase, sum]) => `${PHASE_LABELS[phase]} ${duration(sum)}`);
  return (
    <div className={classes.lane}>
      <span className={classes.name}>{lanes.length} attempts</span>
      <div
        className={classes.track}
        role="img"
        aria-label={`${lanes.length} attempts. ${sums.join(", ")}`}
        data-one
      >
        {mergedSpans(lanes).map(({ attempt, ...span }) => (
          <Tooltip
            key={`${attempt} ${span.phase} ${span.from}`}
            label={`Attempt ${attempt}. ${spanText(span)}`}
            multiline
            maw={320}
          >
            <div
              className={classes.span}
              data-phase={span.phase}
              data-open={span.open || undefined}
              style={styleOf(span, position)}
            />
          </Tooltip>
        ))}
      </div>
    </div>
  );
}

/** Even a very short span stays inside the track. */
function styleOf({ from, to }: Span, position: Position) {
  const left = `min(${position(from)}, 100% - 3px)`;
  return { left, width: `calc(${position(to)} - ${left})` };
}

function spanText({ phase, from, to, open, run }: Span): string {
  const which = run ? ` (run ${run})` : "";
  const until = open ? "until now" : `until ${clockTime(to)}`;
  return `${PHASE_LABELS[phase]}${which} for ${duration(to - from)}: from ${exactTime(from)} ${until}`;
}

function Legend({ lanes }: { lanes: Lane[] }) {
  return (
    <Group gap="6px 24px" mt="xs">
      {[...totals(lanes)].map(([phase, seconds]) => (
        <Text key={phase} size="sm" className={classes.legend}>
          <span className={classes.mark} data-phase={phase} aria-hidden />
          {PHASE_LABELS[phase]} <b>{duration(seconds)}</b>
        </Text>
      ))}
    </Group>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now() / 1000), 1_000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
