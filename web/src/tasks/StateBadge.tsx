import { Tooltip } from "@mantine/core";
import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconLoader2,
  IconPlayerPlay,
  type TablerIcon,
} from "@tabler/icons-react";
import type { Task } from "~/api/client";
import classes from "./StateBadge.module.css";

const ICONS: Record<string, TablerIcon> = {
  preparing: IconLoader2,
  pending: IconClock,
  running: IconPlayerPlay,
  succeeded: IconCircleCheck,
  failed: IconAlertCircle,
  cancelled: IconCircleX,
};

export const TASK_STATES = Object.keys(ICONS);

type TaskState = Pick<Task, "state" | "phase" | "message">;
type Size = "sm" | "md" | "lg";

/** A task's state as colour, icon and text. */
export function StateBadge({ task, size = "md" }: { task: TaskState; size?: Size }) {
  return (
    <Tooltip label={task.message} disabled={!task.message} multiline maw={420}>
      <StateChip task={task} size={size} />
    </Tooltip>
  );
}

type ChipProps = React.ComponentProps<"span"> & { task: Omit<TaskState, "message">; size?: Size };

/** The badge without a tooltip: cheap enough for thousands of rows. */
export function StateChip({ task, size = "md", className = "", ...rest }: ChipProps) {
  const Icon = ICONS[task.state] ?? IconClock;
  return (
    <span
      className={`${classes.badge} ${className}`}
      data-state={task.state}
      data-size={size}
      {...rest}
    >
      <Icon size={size === "lg" ? 16 : 14} aria-hidden />
      <span className={classes.words}>{stateLabel(task)}</span>
    </span>
  );
}

function stateLabel(task: Omit<TaskState, "message">): string {
  const isOver = ["succeeded", "failed", "cancelled"].includes(task.state);
  return task.phase && !isOver && task.phase !== "queued"
    ? `${task.state}: ${task.phase}`
    : task.state;
}
