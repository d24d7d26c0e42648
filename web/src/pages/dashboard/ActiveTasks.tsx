import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Task } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { Elapsed, TimeAgo } from "~/components/Time";
import { StateBadge } from "~/tasks/StateBadge";
import classes from "./Dashboard.module.css";
import { DashboardCard } from "./DashboardCard";

const MAX_SHOWN = 6;

type RunningProps = { tasks: Task[]; total: number; isNew: boolean };

export function Running({ tasks, total, isNew }: RunningProps) {
  return (
    <DashboardCard
      title="Running"
      more={<ShowAll state="running" total={total} shown={tasks.length} />}
    >
      {tasks.length === 0 && <Idle isNew={isNew} />}
      {tasks.slice(0, MAX_SHOWN).map((task) => (
        <TaskLine key={task.id} task={task} sign={<RunningTime task={task} />}>
          {task.node && `, ${task.node}`}
        </TaskLine>
      ))}
    </DashboardCard>
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

/** With the reason for each, from the service. */
export function Waiting({ tasks, total }: { tasks: Task[]; total: number }) {
  if (!tasks.length) return null;
  const all = <ShowAll state="preparing,pending" total={total} shown={tasks.length} />;
  return (
    <DashboardCard title="Waiting" more={all}>
      {tasks.slice(0, MAX_SHOWN).map((task) => (
        <TaskLine
          key={task.id}
          task={task}
          sign={<StateBadge task={task} />}
          reason={task.message || NO_REASON}
        >
          , <TimeAgo at={task.created} />
        </TaskLine>
      ))}
    </DashboardCard>
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

type LineProps = { task: Task; sign: ReactNode; reason?: string; children: ReactNode };

function TaskLine({ task, sign, reason, children }: LineProps) {
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
