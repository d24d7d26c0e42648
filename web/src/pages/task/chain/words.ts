import type { Schemas, Task } from "~/api/client";
import { count, duration } from "~/lib/format";

/** Whether there is more to tell than that one attempt ran. */
export function isChain(task: Pick<Task, "attempts" | "chain">): boolean {
  return task.attempts.length > 1 || canGoOn(task) || task.chain.budget !== null;
}

/** Whether going on would begin from something: a checkpoint, or a chain that asks. */
export function canGoOn({ chain }: Pick<Task, "chain">): boolean {
  return chain.asks || (chain.may_resume && chain.checkpoint !== "");
}

/** What an attempt is doing, or how it ended, in a few words. */
export function standing(attempt: Schemas["Attempt"], followUp: string, now: string): string {
  if (attempt.id === followUp && attempt.started === null) {
    return attempt.arrived ? "has its machines, takes over soon" : "queued ahead";
  }
  if (attempt.ended !== null) return attempt.ending || "ended";
  if (attempt.started !== null) return "running";
  return attempt.id === now ? "waiting" : "";
}

/** How long nothing ran before it; nothing worth saying below a second. */
export function gapWords(gap: number | null): string {
  if (gap === null) return "";
  return gap < 1 ? "none" : duration(gap);
}

/** Why it asks and what one more call gives. */
export function askWords({ chain }: Pick<Task, "chain">): string {
  if (chain.stalled >= 2) {
    return `${count(chain.stalled, "attempt")} in a row came no further. Look at the log before you let it go on.`;
  }
  if (chain.asks) return "It could go on, and waits for your word.";
  return "It can go on from where it stopped.";
}
