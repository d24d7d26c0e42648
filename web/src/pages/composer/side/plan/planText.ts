import type { Schemas } from "~/api/client";
import { duration } from "~/lib/format";

type Plan = Schemas["Plan"];

/** The typical and longest wait, and how certain that is. */
export function waitText({ typical, bound, words }: Schemas["WaitForecast"]): string {
  if (typical === null || bound === null) return words;
  return `typically ${duration(typical)}, up to ${duration(bound)}: ${words}`;
}

/** Each attempt requests the full time limit; the last one needs less. */
export function attemptsText(
  plan: Pick<Plan, "attempts" | "attempt_minutes" | "last_attempt_minutes">,
): string {
  const each = duration(60 * plan.attempt_minutes);
  const last = duration(60 * plan.last_attempt_minutes);
  return plan.attempts === 1
    ? `1 × ${each}, done after ${last}`
    : `${plan.attempts} × ${each}, the last done after ${last}`;
}

/** The most that one interruption costs, and how many to expect. */
export function lossText(plan: Pick<Plan, "lost_at_most_seconds" | "interruptions">): string {
  const interruptions = plan.interruptions;
  const expected =
    interruptions < 0.1
      ? "almost none"
      : interruptions.toLocaleString(undefined, { maximumFractionDigits: 1 });
  return `up to ${duration(plan.lost_at_most_seconds)} per interruption (${expected} expected)`;
}
