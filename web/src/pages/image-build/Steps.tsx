import {
  Card,
  Loader,
  Progress,
  Stack,
  Text,
  Title,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import {
  IconAlertCircle,
  IconChevronRight,
  IconCircle,
  IconCircleCheck,
  IconHistory,
  type TablerIcon,
} from "@tabler/icons-react";
import { useId, useState } from "react";
import { Elapsed } from "~/components/Time";
import type { Build } from "~/images/api";
import { shortDuration } from "~/lib/format";
import { isOver } from "~/tasks/state";
import classes from "./Build.module.css";
import { StepLog } from "./StepLog";

export type Step = Build["steps"][number];

const STATES: Record<Step["state"], { icon: TablerIcon; label: string }> = {
  waiting: { icon: IconCircle, label: "waiting" },
  running: { icon: IconCircle, label: "running" },
  cached: { icon: IconHistory, label: "cached" },
  done: { icon: IconCircleCheck, label: "done" },
  failed: { icon: IconAlertCircle, label: "failed" },
};

/** Every step with its duration, exit code and log. */
export function Steps({ build }: { build: Build }) {
  return (
    <Card padding={0} component="section" aria-label="Build steps">
      <Title order={2} px={14} py={10}>
        Steps
      </Title>
      {build.standing && <Standing standing={build.standing} />}
      <ol className={classes.steps}>
        {build.steps.map((step) => (
          <StepRow key={step.name} build={build} step={step} />
        ))}
      </ol>
    </Card>
  );
}

function Standing({ standing }: { standing: NonNullable<Build["standing"]> }) {
  const { step, steps, percent, seconds_left } = standing;
  const left = seconds_left == null ? "" : `, about ${shortDuration(seconds_left)} left`;
  return (
    <Stack gap={4} px={14} pb={10}>
      <Text size="sm">
        Step {step} of {steps}
        {percent != null && `, ${percent} %`}
        {left}
      </Text>
      <Progress
        value={percent ?? (100 * Math.max(step - 1, 0)) / Math.max(steps, 1)}
        aria-label="Build progress"
      />
    </Stack>
  );
}

function StepRow({ build, step }: { build: Build; step: Step }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const id = useId();
  const hasLog = step.log_from != null;
  const open = hasLog && (chosen ?? step.state === "running");
  return (
    <li className={classes.step}>
      <UnstyledButton
        className={classes.head}
        onClick={() => setChosen(!open)}
        aria-expanded={open}
        aria-controls={id}
        disabled={!hasLog}
      >
        <StepIcon step={step} isLive={!isOver(build.task)} />
        <span className={classes.kind}>{kindOf(step.name)}</span>
        <span className={classes.title}>{step.title}</span>
        <span className={classes.facts}>
          <StepFacts step={step} />
        </span>
        <IconChevronRight
          size={16}
          aria-hidden
          className={classes.chevron}
          data-open={open}
          style={{ visibility: hasLog ? undefined : "hidden" }}
        />
      </UnstyledButton>
      {open && <StepLog id={id} build={build} step={step} />}
    </li>
  );
}

const KINDS: Record<string, string> = {
  base: "Base",
  system: "System",
  python: "Python",
  variables: "Variables",
  files: "Files",
  test: "Test",
  pack: "Pack",
};

/** `command-2` is the second command. */
function kindOf(name: string): string {
  return KINDS[name] ?? name.replace(/^command-/, "Command ");
}

function StepIcon({ step, isLive }: { step: Step; isLive: boolean }) {
  const { icon: Icon, label } = STATES[step.state];
  if (step.state === "running" && isLive) return <Loader size={18} aria-label={label} />;
  return (
    <>
      <Icon size={18} className={classes.sign} data-state={step.state} aria-hidden />
      <VisuallyHidden>{label}:</VisuallyHidden>
    </>
  );
}

function StepFacts({ step }: { step: Step }) {
  if (step.state === "cached") return <>cached</>;
  const expected = step.expected_seconds;
  if (step.state === "running" && step.started)
    return (
      <>
        <Elapsed from={step.started} />
        {expected != null && ` of about ${shortDuration(expected)}`}
      </>
    );
  if (step.seconds == null) return expected == null ? null : <>about {shortDuration(expected)}</>;
  const code = step.exit_code ? `exit code ${step.exit_code}, ` : "";
  return (
    <>
      {code}
      {shortDuration(step.seconds)}
    </>
  );
}
