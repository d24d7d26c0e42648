import { VisuallyHidden } from "@mantine/core";
import { IconAlertCircle, IconCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { count } from "~/lib/format";
import { type BuilderState, type Fault, useBuilder } from "./context";
import classes from "./ImageBuilder.module.css";
import { STEPS, type StepName } from "./search";
import { stepOf } from "./work";

const LABELS: Record<StepName, string> = {
  endpoint: "Endpoint",
  base: "Base image",
  dependencies: "Dependencies",
  variables: "Variables",
  commands: "Commands",
  review: "Review",
};
const FIELDS: Partial<Record<StepName, string[]>> = {
  base: ["base"],
  dependencies: ["system", "python", "requirements", "accelerator", "lock"],
  variables: ["variables"],
  commands: ["commands", "files", "test"],
};

/** The six steps; each can be opened at any time. */
export function StepBar({ current, faults }: { current: StepName; faults: Fault[] }) {
  const state = useBuilder();
  return (
    <nav aria-label="Steps">
      <ol className={classes.steps}>
        {STEPS.map((step, at) => (
          <li key={step}>
            <Link
              from="/build"
              to="/build"
              search={(now) => ({ ...now, step: step === "endpoint" ? undefined : step })}
              resetScroll={false}
              className={classes.step}
              // The link marks the current step, also for screen readers.
              activeOptions={{ exact: true, includeSearch: true }}
              data-current={step === current || undefined}
            >
              <StepIcon
                number={at + 1}
                faults={faults.filter((fault) => stepOf(fault.field) === step).length}
                isFilled={isFilled(state, step)}
              />
              <span className={classes.stepLabel}>{LABELS[step]}</span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

type StepIconProps = { number: number; faults: number; isFilled: boolean };

function StepIcon({ number, faults, isFilled }: StepIconProps) {
  const status = faults ? "fault" : isFilled ? "filled" : "open";
  return (
    <span className={classes.sign} data-look={status}>
      {status === "fault" && <IconAlertCircle size={16} aria-hidden />}
      {status === "filled" && <IconCheck size={15} aria-hidden />}
      {status === "open" && <span aria-hidden>{number}</span>}
      {status !== "open" && (
        <VisuallyHidden>{faults ? `${count(faults, "error")}:` : "complete:"}</VisuallyHidden>
      )}
    </span>
  );
}

function isFilled({ draft }: BuilderState, step: StepName): boolean {
  if (step === "endpoint") return draft.work.endpoint !== "auto";
  return (FIELDS[step] ?? []).some((field) => draft.work.spec[field] !== undefined);
}
