import { Button, Group, Stack } from "@mantine/core";
import { IconArrowLeft, IconArrowRight } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentType, useState } from "react";
import { ProblemError } from "~/api/client";
import { EnvironmentProvider } from "~/images/environment/context";
import { DraftSaved, OtherTabWarning } from "~/jobs/DraftStatus";
import { useDraft } from "~/jobs/useDraft";
import { BuilderProvider, type BuilderState, type Fault, fieldOf } from "./context";
import classes from "./ImageBuilder.module.css";
import { ImportSummary } from "./ImportSummary";
import { PreviewPanel } from "./PreviewPanel";
import { StartFrom } from "./StartFrom";
import { StepBar } from "./StepBar";
import { STEPS, type StepName } from "./search";
import { BaseStep } from "./steps/BaseStep";
import { CommandsStep } from "./steps/CommandsStep";
import { DependenciesStep } from "./steps/DependenciesStep";
import { EndpointStep } from "./steps/EndpointStep";
import { ReviewStep } from "./steps/ReviewStep";
import { VariablesStep } from "./steps/VariablesStep";
import { useBuild } from "./useBuild";
import { usePreview } from "./usePreview";
import type { BuilderWork } from "./work";

const CONTENTS: Record<Exclude<StepName, "review">, ComponentType> = {
  endpoint: EndpointStep,
  base: BaseStep,
  dependencies: DependenciesStep,
  variables: VariablesStep,
  commands: CommandsStep,
};

type FormProps = { source: string; isFilled: boolean; initial: BuilderWork };

export function BuilderForm({ source, isFilled, initial }: FormProps) {
  const { step = "endpoint" } = useSearch({ from: "/build" });
  const draft = useDraft(source, initial);
  const preview = usePreview(draft.work);
  const build = useBuild(draft);
  const rejected = useRejectedFaults(build.error, draft.work.key);
  const faults = merged(preview.data?.faults ?? [], rejected);
  const state: BuilderState = { draft, preview: preview.data, previewError: preview.error, faults };
  const Content = step === "review" ? null : CONTENTS[step];
  return (
    <BuilderProvider value={state}>
      <EnvironmentProvider value={(path) => fieldOf(state, path)}>
        <Stack gap="md">
          <Group gap="sm" mih={36}>
            <StartFrom isFilled={isFilled} />
            <DraftSaved draft={draft} />
          </Group>
          <OtherTabWarning draft={draft} />
          <ImportSummary />
          <StepBar current={step} faults={faults} />
          <div className={classes.columns}>
            <Stack gap="md">
              {Content ? (
                <Content />
              ) : (
                <ReviewStep
                  isSending={build.isPending}
                  error={build.error}
                  onBuild={() => build.mutate()}
                />
              )}
              <StepButtons step={step} />
            </Stack>
            <PreviewPanel />
          </div>
        </Stack>
      </EnvironmentProvider>
    </BuilderProvider>
  );
}

/** Back and next. No step has to be valid to continue. */
function StepButtons({ step }: { step: StepName }) {
  const navigate = useNavigate({ from: "/build" });
  const at = STEPS.indexOf(step);
  const go = (to: StepName | undefined) =>
    void navigate({ search: (now) => ({ ...now, step: to }), resetScroll: false });
  return (
    <Group justify="space-between">
      <Button
        variant="default"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        onClick={() => go(STEPS[at - 1])}
        style={{ visibility: at > 0 ? undefined : "hidden" }}
      >
        Back
      </Button>
      {at < STEPS.length - 1 && (
        <Button
          rightSection={<IconArrowRight size={16} aria-hidden />}
          onClick={() => go(STEPS[at + 1])}
        >
          Next
        </Button>
      )}
    </Group>
  );
}

/** The faults of the last rejection, until something is edited. */
function useRejectedFaults(error: Error | null, key: string): Fault[] {
  const [at, setAt] = useState<{ error: Error; key: string } | null>(null);
  if (error && at?.error !== error) setAt({ error, key });
  const isSame = at !== null && at.error === error && at.key === key;
  return isSame && error instanceof ProblemError ? error.faults : [];
}

function merged(previewed: Fault[], rejected: Fault[]): Fault[] {
  const known = new Set(previewed.map((fault) => `${fault.field} ${fault.message}`));
  return [
    ...previewed,
    ...rejected.filter((fault) => !known.has(`${fault.field} ${fault.message}`)),
  ];
}
