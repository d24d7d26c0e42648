import { Badge, Tooltip } from "@mantine/core";
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

const LOOKS: Record<string, { color: string; icon: TablerIcon }> = {
  preparing: { color: "grape", icon: IconLoader2 },
  pending: { color: "yellow", icon: IconClock },
  running: { color: "blue", icon: IconPlayerPlay },
  succeeded: { color: "teal", icon: IconCircleCheck },
  failed: { color: "red", icon: IconAlertCircle },
  cancelled: { color: "gray", icon: IconCircleX },
};

export const TASK_STATES = Object.keys(LOOKS);

type Stated = Pick<Task, "state" | "phase" | "message">;

/** A task's state as colour, sign and word: never colour alone. */
export function StateBadge({ task, size = "md" }: { task: Stated; size?: "sm" | "md" | "lg" }) {
  const look = LOOKS[task.state] ?? { color: "gray", icon: IconClock };
  const Icon = look.icon;
  return (
    <Tooltip label={task.message} disabled={!task.message} multiline maw={420}>
      <Badge color={look.color} size={size} leftSection={<Icon size={13} aria-hidden />}>
        {stateWords(task)}
      </Badge>
    </Tooltip>
  );
}

function stateWords(task: Stated): string {
  const isOver = ["succeeded", "failed", "cancelled"].includes(task.state);
  return task.phase && !isOver && task.phase !== "queued"
    ? `${task.state}: ${task.phase}`
    : task.state;
}
