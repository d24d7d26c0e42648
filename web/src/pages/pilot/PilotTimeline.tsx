import { Anchor, Card, Text, Title, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { ErrorAlert } from "~/components/ErrorAlert";
import { SkeletonLines } from "~/components/SkeletonLines";
import { count, duration } from "~/lib/format";
import { type Pilot, type Timeline, type TimelineItem, timelineQuery } from "~/pilots/api";
import { isOver } from "~/pilots/words";
import classes from "./Pilot.module.css";
import { amountsInUse, mostOf, stepPath } from "./use";

const MOST_BARS = 100;
const BOX = { width: 600, height: 48 };
type Span = { from: number; to: number };

/** What ran in the pilot, and how much of its cores and GPUs that used. */
export function PilotTimeline({ pilot }: { pilot: Pilot }) {
  const query = useQuery(timelineQuery(pilot.id, !isOver(pilot)));
  return (
    <Card component="section" aria-label="Timeline">
      <Title order={2} mb="xs">
        Timeline
      </Title>
      {query.data ? (
        <Loaded timeline={query.data} />
      ) : query.error ? (
        <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonLines count={4} height={20} />
      )}
    </Card>
  );
}

function Loaded({ timeline }: { timeline: Timeline }) {
  const { allocations, items } = timeline;
  const first = allocations[0];
  if (timeline.state !== "known" || !first) {
    return (
      <Text size="sm" c="dimmed">
        {timeline.message || "The allocation has not started yet."}
      </Text>
    );
  }
  const span = {
    from: first.opened,
    to: Math.max(timeline.now, first.opened + 1),
  };
  const shown = items.slice(-MOST_BARS);
  const left = items.length + timeline.left_out - shown.length;
  return (
    <>
      <Use timeline={timeline} what="cores" span={span} />
      <Use timeline={timeline} what="gpus" span={span} />
      <div className={classes.bars}>
        {shown.map((item) => (
          <Fragment key={item.attempt}>
            <ItemName item={item} />
            <Bar item={item} span={span} now={timeline.now} />
          </Fragment>
        ))}
      </div>
      <Text size="xs" c="dimmed" mt="xs">
        {duration(span.to - span.from)} in {count(allocations.length, "allocation")}.{" "}
        {left > 0 && `The last ${shown.length} of ${left + shown.length} are shown.`}
      </Text>
    </>
  );
}

function Use({ timeline, what, span }: { timeline: Timeline; what: "cores" | "gpus"; span: Span }) {
  const most = mostOf(timeline, what);
  const share = timeline.utilisation[what];
  if (!most || share === null) return null;
  const name = what === "cores" ? "Cores" : "GPUs";
  const percent = share > 0 && share < 0.01 ? "under 1 %" : `${Math.round(100 * share)} %`;
  const text = `${name} in use: ${percent} of ${most}`;
  return (
    <div className={classes.bars}>
      <Text size="xs">{text}</Text>
      <svg
        className={classes.use}
        viewBox={`0 0 ${BOX.width} ${BOX.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        <path d={stepPath(amountsInUse(timeline, what), { ...span, most, ...BOX })} />
      </svg>
    </div>
  );
}

function ItemName({ item }: { item: TimelineItem }) {
  if (!item.task) {
    return (
      <Text size="xs" truncate>
        {item.attempt.slice(0, 8)}
      </Text>
    );
  }
  return (
    <Anchor
      size="xs"
      truncate
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task: item.task }} {...props} />}
    >
      {item.name}
    </Anchor>
  );
}

function Bar({ item, span, now }: { item: TimelineItem; span: Span; now: number }) {
  const begin = item.started ?? item.claimed;
  const end = item.ended ?? now;
  const percent = (seconds: number) => `${(100 * seconds) / (span.to - span.from)}%`;
  const text = barText(item, end - begin);
  return (
    <Tooltip label={text}>
      <div
        className={classes.track}
        role="img"
        aria-label={`${item.name || item.attempt}: ${text}`}
      >
        <div
          className={classes.ran}
          data-good={item.ended === null || item.code === 0}
          style={{ left: percent(begin - span.from), width: percent(Math.max(0, end - begin)) }}
        />
      </div>
    </Tooltip>
  );
}

function barText({ parts, reason, code, ended }: TimelineItem, seconds: number): string {
  const sum = (what: "cores" | "gpus") => parts.reduce((all, part) => all + part[what], 0);
  const gpus = sum("gpus") ? `, ${count(sum("gpus"), "GPU")}` : "";
  const nodes = parts.map(({ node }) => node).join(", ");
  const how =
    ended === null ? "running for" : reason === "exit" ? `exit ${code} after` : `${reason} after`;
  return `${how} ${duration(seconds)}, ${count(sum("cores"), "core")}${gpus} on ${nodes}`;
}
