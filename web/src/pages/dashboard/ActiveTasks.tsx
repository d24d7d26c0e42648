import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas, Task } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { Elapsed, TimeAgo } from "~/components/Time";
import { count, duration, formatNumber } from "~/lib/format";
import { ProgressBar } from "~/tasks/ProgressBar";
import { Sparkline } from "~/tasks/Sparkline";
import { StateBadge } from "~/tasks/StateBadge";
import type { Summary } from "~/tasks/summaries";
import classes from "./Dashboard.module.css";
import { DashboardCard } from "./DashboardCard";

const MAX_SHOWN = 6;

type Overview = Schemas["Overview"];
type StartEstimate = Schemas["StartEstimate"];

type RunningProps = { overview: Overview; isNew: boolean };

/** With the main curve, progress and time left of each. */
export function Running({ overview, isNew }: RunningProps) {
  const { running: tasks, counts, summaries } = overview;
  const byTask = new Map(summaries.map((summary) => [summary.task, summary]));
  return (
    <DashboardCard
      title="Running"
      more={<ShowAll state="running" total={counts.running} shown={tasks.length} />}
    >
      {tasks.length === 0 && <Idle isNew={isNew} />}
      {tasks.slice(0, MAX_SHOWN).map((task) => (
        <RunningLine key={task.id} task={task} summary={byTask.get(task.id)} />
      ))}
    </DashboardCard>
  );
}

function RunningLine({ task, summary }: { task: Task; summary: Summary | undefined }) {
  const main = summary?.values.find(({ name }) => name === summary.main);
  return (
    <TaskLine
      task={task}
      sign={
        <div className={classes.outcome}>
          {main && (
            <>
              <Sparkline values={summary?.spark ?? []} />
              <Text size="sm" fw={550}>
                {main.name} {formatNumber(main.last)}
              </Text>
            </>
          )}
          <RunningTime task={task} />
        </div>
      }
      below={
        summary?.progress && (
          <ProgressBar
            progress={summary.progress}
            label={`Progress of ${task.name}`}
            color="blue"
          />
        )
      }
    >
      {task.node && `, ${task.node}`}
    </TaskLine>
  );
}

function Idle({ isNew }: { isNew: boolean }) {
  return (
    <Text size="sm" c="dimmed">
      Nothing is running.{" "}
      {isNew && (
        <Link to="/" search={{ guide: "show" }}>
          Train your first model
        </Link>
      )}
    </Text>
  );
}

/** A queue takes time to report a reason; an empty line would look like a bug. */
const NO_REASON = "just submitted, no reason reported yet";

/** With the reason for each, from the service, and how long similar jobs waited. */
export function Waiting({ overview }: { overview: Overview }) {
  const { waiting: tasks, counts, starts } = overview;
  if (!tasks.length) return null;
  const total = counts.pending + counts.preparing;
  const all = <ShowAll state="preparing,pending" total={total} shown={tasks.length} />;
  const byTask = new Map(starts.map((start) => [start.task, start]));
  return (
    <DashboardCard title="Waiting" more={all}>
      {tasks.slice(0, MAX_SHOWN).map((task) => (
        <TaskLine
          key={task.id}
          task={task}
          sign={<StateBadge task={task} />}
          reason={task.message || NO_REASON}
          below={<Start estimate={byTask.get(task.id)} />}
        >
          , <TimeAgo at={task.created} />
        </TaskLine>
      ))}
    </DashboardCard>
  );
}

function Start({ estimate }: { estimate: StartEstimate | undefined }) {
  if (!estimate) return null;
  const { typical, bound, waited, samples } = estimate;
  const left = typical - waited;
  return (
    <Text size="xs" c="dimmed">
      {left > 0
        ? `Likely to start in about ${duration(left)}`
        : "Waiting longer than most similar jobs did"}
      ; nearly all similar jobs started within {duration(Math.max(60, bound))} (
      {count(samples, "past job")})
    </Text>
  );
}

/** Everything in this box is running, so only a special phase is shown. */
function RunningTime({ task }: { task: Task }) {
  if (task.phase) return <StateBadge task={task} />;
  return (
    <Text size="sm" component="div">
      {task.started != null && <Elapsed from={task.started} />}
    </Text>
  );
}

type LineProps = {
  task: Task;
  sign: ReactNode;
  reason?: string;
  below?: ReactNode;
  children: ReactNode;
};

function TaskLine({ task, sign, reason, below, children }: LineProps) {
  return (
    <div className={classes.line}>
      <div style={{ minWidth: 0 }}>
        <Link to="/tasks/$task" params={{ task: task.id }} className={classes.name}>
          {task.name}
        </Link>
        <Text size="xs" c="dimmed" component="div">
          on {task.endpoint}
          {children}
        </Text>
      </div>
      {sign}
      {reason && (
        <Text size="xs" className={classes.why} lineClamp={2}>
          <MessageText text={reason} />
        </Text>
      )}
      {below && <div className={classes.why}>{below}</div>}
    </div>
  );
}

function ShowAll({ state, total, shown }: { state: string; total: number; shown: number }) {
  if (total <= Math.min(shown, MAX_SHOWN)) return null;
  return (
    <Link to="/tasks" search={{ state }}>
      All {total.toLocaleString()}
    </Link>
  );
}
