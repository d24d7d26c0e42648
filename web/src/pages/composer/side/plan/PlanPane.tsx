import { SegmentedControl, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "~/api/client";
import { QueryResult } from "~/components/QueryResult";
import { bodyOf, type Work } from "~/jobs/work";
import classes from "../../Composer.module.css";
import { useComposer } from "../../state/context";
import { EarlierTaskField } from "./EarlierTaskField";
import { type GoalDraft, goalOf, isInvalidNumber } from "./goal";
import { PlanResult } from "./PlanResult";
import { useGoal } from "./useGoal";

const TYPING_PAUSE = 400;

/** How long a training goal takes, in how many attempts, and at what cost. */
export function PlanPane() {
  const { draft } = useComposer();
  const { goal, change } = useGoal();
  const plan = usePlan(draft.work, goal);
  return (
    <Stack p="md" gap="md">
      <section aria-labelledby="goal-title">
        <Title order={2} id="goal-title" mb={4}>
          Training goal
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          This is an estimate. Nothing runs until you submit.
        </Text>
        <Stack gap="sm">
          <GoalFields goal={goal} change={change} />
          <EarlierTaskField value={goal.like} onChange={(like) => change({ like })} />
          <div className={classes.two}>
            <NumberField
              label="Seconds per step"
              help={goal.like ? "Taken from that task." : "Only needed without an earlier task."}
              disabled={Boolean(goal.like)}
              value={goal.stepSeconds}
              onChange={(stepSeconds) => change({ stepSeconds })}
            />
            <NumberField
              label="Seconds per checkpoint"
              value={goal.saveSeconds}
              onChange={(saveSeconds) => change({ saveSeconds })}
            />
            <NumberField
              label="Checkpoint size (GB)"
              help="Needed if the site limits how much a job writes."
              value={goal.saveGigabytes}
              onChange={(saveGigabytes) => change({ saveGigabytes })}
            />
          </div>
        </Stack>
      </section>
      {plan.isEnabled ? (
        <>
          <QueryResult query={plan}>{(result) => <PlanResult plan={result} />}</QueryResult>
          <Switch
            label="Save this estimate with the task"
            description="The task page then shows planned vs. actual."
            checked={goal.keep}
            onChange={(event) => change({ keep: event.currentTarget.checked })}
          />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          Enter a training goal and a pace to see the estimate.
        </Text>
      )}
    </Stack>
  );
}

type PartProps = { goal: GoalDraft; change: (more: Partial<GoalDraft>) => void };

function GoalFields({ goal, change }: PartProps) {
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="Unit of the goal"
        value={goal.by}
        onChange={(by) => change({ by: by as GoalDraft["by"] })}
        data={[
          { value: "steps", label: "Steps" },
          { value: "epochs", label: "Epochs" },
        ]}
        style={{ alignSelf: "flex-start" }}
      />
      {goal.by === "steps" ? (
        <NumberField label="Steps" value={goal.steps} onChange={(steps) => change({ steps })} />
      ) : (
        <div className={classes.three}>
          <NumberField
            label="Epochs"
            value={goal.epochs}
            onChange={(epochs) => change({ epochs })}
          />
          <NumberField
            label="Samples per epoch"
            value={goal.samples}
            onChange={(samples) => change({ samples })}
          />
          <NumberField
            label="Samples per step"
            help="Across all GPUs."
            value={goal.batch}
            onChange={(batch) => change({ batch })}
          />
        </div>
      )}
    </>
  );
}

type NumberProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  help?: string;
  disabled?: boolean;
};

function NumberField({ label, value, onChange, help, disabled }: NumberProps) {
  return (
    <TextInput
      label={label}
      description={help}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={
        !disabled &&
        isInvalidNumber(value) &&
        "Enter a number greater than zero, such as 0.5 or 20 000."
      }
      inputMode="decimal"
      autoComplete="off"
      disabled={disabled}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function usePlan(work: Work, draft: GoalDraft) {
  const { project = "" } = useSearch({ from: "/compose" });
  const requestParts = [{ ...bodyOf(work), project }, goalOf(draft)];
  const [settled] = useDebouncedValue(JSON.stringify(requestParts), TYPING_PAUSE);
  const [body, goal] = JSON.parse(settled) as [Schemas["ComposeRequest"], Schemas["Goal"] | null];
  const query = useQuery({
    queryKey: ["plan", settled],
    queryFn: goal
      ? () => dataOf(api.POST("/api/v1/plans", { body: { ...body, goal } }))
      : skipToken,
    placeholderData: keepPreviousData,
  });
  return { ...query, isEnabled: goal !== null };
}
