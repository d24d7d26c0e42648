import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { StateBadge } from "~/components/StateBadge";
import { Ago, Took } from "~/components/Time";
import { Box } from "./Box";
import classes from "./Dashboard.module.css";

const SHOWN = 6;

type RunningProps = { tasks: Task[]; total: number; isNew: boolean };

export function Running({ tasks, total, isNew }: RunningProps) {
  return (
    <Box title="Running" more={<All state="running" total={total} shown={tasks.length} />}>
      {tasks.length === 0 && <Idle isNew={isNew} />}
      {tasks.slice(0, SHOWN).map((task) => (
        <TaskLine key={task.id} task={task}>
          {task.started != null && (
            <>
              for <Took from={task.started} />
            </>
          )}
        </TaskLine>
      ))}
    </Box>
  );
}

function Idle({ isNew }: { isNew: boolean }) {
  return (
    <Text size="sm" c="dimmed">
      Nothing runs now.{" "}
      {isNew && (
        <Link to="/" search={{ guide: "show" }}>
          Train a first model
        </Link>
      )}
    </Text>
  );
}

/** With the reason under each, in the words of the service. */
export function Waiting({ tasks, total }: { tasks: Task[]; total: number }) {
  if (!tasks.length) return null;
  const all = <All state="preparing,pending" total={total} shown={tasks.length} />;
  return (
    <Box title="Waiting, and why" more={all}>
      {tasks.slice(0, SHOWN).map((task) => (
        <TaskLine key={task.id} task={task} why={task.message}>
          since <Ago at={task.created} />
        </TaskLine>
      ))}
    </Box>
  );
}

type LineProps = { task: Task; why?: string; children: React.ReactNode };

export function TaskLine({ task, why, children }: LineProps) {
  return (
    <div className={classes.line}>
      <div style={{ minWidth: 0 }}>
        <Link to="/tasks/$task" params={{ task: task.id }} className={classes.name}>
          {task.name}
        </Link>
        <Text size="xs" c="dimmed" component="div">
          on {task.endpoint}, {children}
        </Text>
      </div>
      <StateBadge task={task} />
      {why && (
        <Text size="xs" className={classes.why} lineClamp={2}>
          {why}
        </Text>
      )}
    </div>
  );
}

function All({ state, total, shown }: { state: string; total: number; shown: number }) {
  if (total <= Math.min(shown, SHOWN)) return null;
  return (
    <Link to="/tasks" search={{ state }}>
      All {total.toLocaleString()}
    </Link>
  );
}
