import { Progress, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { figure, hours } from "~/lib/format";

/** What was spent, what is promised to attempts that wait or run, and what is left. */
export function BudgetBar({ budget }: { budget: Schemas["BudgetUse"] }) {
  const { amount, unit, spent, committed, left } = budget;
  const part = (value: number) => Math.min(100, (100 * value) / Math.max(amount, 1e-9));
  return (
    <div>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section value={part(spent)} color="teal" />
        <Progress.Section value={part(committed)} color="yellow" />
      </Progress.Root>
      <Text size="sm" mt={4}>
        Budget: {hours(spent)} of {figure(amount)} {unit} spent
        {committed > 0 && `, up to ${hours(committed)} promised to what waits or runs`};{" "}
        <b>{figure(left)} left</b>
      </Text>
    </div>
  );
}
