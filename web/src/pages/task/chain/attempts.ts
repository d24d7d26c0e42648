import type { Schemas, Task } from "~/api/client";
import { duration } from "~/lib/format";

/** Whether there is more to show than a single attempt. */
export function isChain(task: Pick<Task, "attempts" | "chain">): boolean {
  return task.attempts.length > 1 || canResume(task) || task.chain.budget !== null;
}

/** Whether the chain can be resumed, from a checkpoint or because it asks. */
export function canResume({ chain }: Pick<Task, "chain">): boolean {
  return chain.words !== "";
}

/** What an attempt is doing, or how it ended. */
export function attemptState(
  attempt: Schemas["Attempt"],
  followUp: string,
  current: string,
): string {
  if (attempt.id === followUp && attempt.started === null) {
    return attempt.arrived ? "ready to take over" : "queued ahead";
  }
  if (attempt.ended !== null) return attempt.ending || "ended";
  if (attempt.started !== null) return "running";
  return attempt.id === current ? "waiting" : "";
}

/** How long nothing ran before the attempt; below a second it does not matter. */
export function gapText(gap: number | null): string {
  if (gap === null) return "";
  return gap < 1 ? "none" : duration(gap);
}

/** "12" as a number of attempts; null if empty, undefined if invalid. */
export function parseAttempts(text: string): number | null | undefined {
  const plain = text.trim();
  if (!plain) return null;
  return /^[1-9]\d{0,3}$/.test(plain) ? Number(plain) : undefined;
}
