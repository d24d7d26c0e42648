import { Progress } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { hours } from "~/lib/format";
import classes from "./Chain.module.css";

/** What was spent, what is promised to attempts that wait or run, and what is left. */
export function BudgetBar({ budget }: { budget: Schemas["BudgetUse"] }) {
  const { amount, unit, spent, committed, left } = budget;
  const part = (value: number) => Math.min(100, (100 * value) / Math.max(amount, 1e-9));
  return (
    <div>
      <Progress.Root size="md" aria-hidden className={classes.left}>
        <Progress.Section value={part(spent)} className={classes.spent} />
        <Progress.Section value={part(committed)} className={classes.promised} />
      </Progress.Root>
      <div className={classes.budget}>
        <Part look="spent">
          Budget: {hours(spent)} of {hours(amount)} {unit} spent
        </Part>
        {committed > 0 && (
          <Part look="promised">
            up to {hours(committed)} reserved for queued or running attempts
          </Part>
        )}
        <Part look="left">
          <b>{hours(left)} left</b>
        </Part>
      </div>
    </div>
  );
}

type PartProps = { look: "spent" | "promised" | "left"; children: React.ReactNode };

function Part({ look, children }: PartProps) {
  return (
    <span className={classes.part}>
      <span className={`${classes.mark} ${classes[look]}`} aria-hidden />
      <span>{children}</span>
    </span>
  );
}
