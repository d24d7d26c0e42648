import { Group, Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import type { Schemas, Task } from "~/api/client";
import { brief, clockTime, duration, exactTime } from "~/lib/format";
import classes from "./Timeline.module.css";
import {
  type Lane,
  lanesOf,
  MOST_LANES,
  type Phase,
  type Span,
  together,
  totals,
} from "./timeline";
import { isOver } from "./words";

const WORDS: Record<Phase, string> = {
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
  const place = (at: number) => `${(100 * (at - from)) / (to - from)}%`;
  return (
    <div>
      <div className={classes.chart}>
        {lanes.length > MOST_LANES ? (
          <OneLane lanes={lanes} place={place} />
        ) : (
          lanes.map((lane) => (
            <LaneRow key={lane.attempt} lane={lane} many={lanes.length > 1} place={place} />
          ))
        )}
        <div className={classes.axis} aria-hidden>
          {Array.from({ length: TICKS }, (_, n) => from + ((to - from) * n) / (TICKS - 1)).map(
            (at, n) => (
              <span
                key={at}
                className={classes.tick}
                data-edge={edge(n)}
                style={{ left: place(at) }}
              >
                {n === 0 ? clockTime(at) : `+${brief(at - from)}`}
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

type Place = (at: number) => string;
type LaneProps = { lane: Lane; many: boolean; place: Place };

function LaneRow({ lane, many, place }: LaneProps) {
  return (
    <div className={classes.lane}>
      {many && (
        <span className={classes.name}>
          Attempt {lane.attempt}
          {lane.ending && `: ${lane.ending}`}
        </span>
      )}
      <div className={classes.track}>
        {lane.spans.map((span) => (
          <Tooltip key={`${span.phase} ${span.from}`} label={spanWords(span)} multiline maw={320}>
            <div
              role="img"
              aria-label={spanWords(span)}
              className={classes.span}
              data-phase={span.phase}
              data-open={span.open || undefined}
              style={styleOf(span, place)}
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

/** A long chain: when its program ran, and when it did not. */
function OneLane({ lanes, place }: { lanes: Lane[]; place: Place }) {
  const sums = [...totals(lanes)].map(([phase, sum]) => `${WORDS[phase]} ${duration(sum)}`);
  return (
    <div className={classes.lane}>
      <span className={classes.name}>{lanes.length} attempts</span>
      <div
        className={classes.track}
        role="img"
        aria-label={`${lanes.length} attempts. ${sums.join(", ")}`}
        data-one
      >
        {together(lanes).map(({ attempt, ...span }) => (
          <Tooltip
            key={`${attempt} ${span.phase} ${span.from}`}
            label={`Attempt ${attempt}. ${spanWords(span)}`}
            multiline
            maw={320}
          >
            <div
              className={classes.span}
              data-phase={span.phase}
              data-open={span.open || undefined}
              style={styleOf(span, place)}
            />
          </Tooltip>
        ))}
      </div>
    </div>
  );
}

/** However short, it stays within the track. */
function styleOf({ from, to }: Span, place: Place) {
  const left = `min(${place(from)}, 100% - 3px)`;
  return { left, width: `calc(${place(to)} - ${left})` };
}

function spanWords({ phase, from, to, open, run }: Span): string {
  const which = run ? ` (run ${run})` : "";
  const until = open ? "until now" : `until ${clockTime(to)}`;
  return `${WORDS[phase]}${which} for ${duration(to - from)}: from ${exactTime(from)} ${until}`;
}

function Legend({ lanes }: { lanes: Lane[] }) {
  return (
    <Group gap="6px 24px" mt="xs">
      {[...totals(lanes)].map(([phase, seconds]) => (
        <Text key={phase} size="sm" className={classes.legend}>
          <span className={classes.mark} data-phase={phase} aria-hidden />
          {WORDS[phase]} <b>{duration(seconds)}</b>
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
