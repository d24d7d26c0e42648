import { Progress } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { formatHours } from "~/lib/format";
import classes from "./AttemptsCard.module.css";

/** Spent, reserved for queued or running attempts, and left. */
export function BudgetBar({ budget }: { budget: Schemas["BudgetUse"] }) {
  const { amount, unit, spent, committed, left } = budget;
  const percent = (value: number) => Math.min(100, (100 * value) / Math.max(amount, 1e-9));
  return (
    <div>
      <Progress.Root size="md" aria-hidden className={classes.left}>
        <Progress.Section value={percent(spent)} className={classes.spent} />
        <Progress.Section value={percent(committed)} className={classes.promised} />
      </Progress.Root>
      <div className={classes.budget}>
        <BudgetPart look="spent">
          Budget: {formatHours(spent)} of {formatHours(amount)} {unit} spent
        </BudgetPart>
        {committed > 0 && (
          <BudgetPart look="promised">
            up to {formatHours(committed)} reserved for queued or running attempts
          </BudgetPart>
        )}
        <BudgetPart look="left">
          <b>{formatHours(left)} left</b>
        </BudgetPart>
      </div>
    </div>
  );
}

type BudgetPartProps = { look: "spent" | "promised" | "left"; children: React.ReactNode };

function BudgetPart({ look, children }: BudgetPartProps) {
  return (
    <span className={classes.part}>
      <span className={`${classes.mark} ${classes[look]}`} aria-hidden />
      <span>{children}</span>
    </span>
  );
}
