import type { Schemas } from "~/api/client";
import { duration } from "~/lib/format";

type Plan = Schemas["Plan"];

/** What is usual and what is the most, before the words that say how sure that is. */
export function waitText({ typical, bound, words }: Schemas["WaitForecast"]): string {
  if (typical === null || bound === null) return words;
  return `typically ${duration(typical)}, up to ${duration(bound)}: ${words}`;
}

/** Each asks for the whole limit; the last is done sooner. */
export function attemptsText(
  plan: Pick<Plan, "attempts" | "attempt_minutes" | "last_attempt_minutes">,
): string {
  const each = duration(60 * plan.attempt_minutes);
  const last = duration(60 * plan.last_attempt_minutes);
  return plan.attempts === 1
    ? `1 × ${each}, done after ${last}`
    : `${plan.attempts} × ${each}, the last done after ${last}`;
}

/** What one interruption costs at most, and how many are to be expected; hardly any are not counted. */
export function lossText(plan: Pick<Plan, "lost_at_most_seconds" | "interruptions">): string {
  const interruptions = plan.interruptions;
  const expected =
    interruptions < 0.1
      ? "almost none"
      : interruptions.toLocaleString(undefined, { maximumFractionDigits: 1 });
  return `up to ${duration(plan.lost_at_most_seconds)} per interruption (${expected} expected)`;
}
