import type { Task } from "~/api/client";

export function isOver(task: Pick<Task, "state">): boolean {
  return ["succeeded", "failed", "cancelled"].includes(task.state);
}

const SETTLED_SECONDS = 600;

/** Ended long ago: all its output has arrived by now. */
export function isSettled(task: Pick<Task, "ended">): boolean {
  return task.ended != null && Date.now() / 1000 - task.ended > SETTLED_SECONDS;
}
