import { Group, Stack } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useState } from "react";
import { ProblemError } from "~/api/client";
import type { Fault } from "~/jobs/api";
import { OtherTabWarning } from "~/jobs/DraftStatus";
import { type DraftState, useDraft } from "~/jobs/useDraft";
import type { Work } from "~/jobs/work";
import classes from "./Composer.module.css";
import { DraftNote } from "./DraftNote";
import { EnvironmentSection } from "./form/EnvironmentSection";
import { LocationSection } from "./form/LocationSection";
import { ProgramSection } from "./form/ProgramSection";
import { ResourcesSection } from "./form/ResourcesSection";
import { SearchSection } from "./form/SearchSection";
import { SubmitBar } from "./SubmitBar";
import { SidePanel } from "./side/SidePanel";
import type { Source } from "./start/source";
import { sourceKey } from "./start/source";
import { ComposerProvider, type ComposerState } from "./state/context";
import { useComposition } from "./state/useComposition";
import { useSubmit } from "./state/useSubmit";
import { useYaml } from "./state/useYaml";

type JobEditorProps = { source: Source; initial: Work; start: ReactNode };

/** The form, and beside it the same job as text. */
export function JobEditor({ source, initial, start }: JobEditorProps) {
  const draft = useDraft(sourceKey(source), initial);
  const search = useSearch({ from: "/compose" });
  const yaml = useYaml(draft);
  const submit = useSubmit(draft);
  const { data: composition } = useComposition(draft.work);
  const rejected = useRejection(submit.error, draft.work);
  const all = merged(composition?.faults ?? [], faultsOf(rejected));
  const { shown, touch, showAll } = useVisibleFaults(all, draft, source);
  const submitJob = () => {
    showAll();
    if (!submit.isPending) submit.mutate();
  };
  const state: ComposerState = { source, draft, composition, faults: shown, touch };
  return (
    <ComposerProvider value={state}>
      <Group gap="sm" mih={36}>
        {start}
        <DraftNote />
      </Group>
      <OtherTabWarning draft={draft} />
      <div
        className={classes.columns}
        onKeyDownCapture={(event) => isSubmitKey(event) && submitJob()}
      >
        <Stack gap="md">
          <ProgramSection />
          <LocationSection />
          <ResourcesSection />
          <EnvironmentSection />
          <SearchSection />
          <SubmitBar
            isSending={submit.isPending}
            error={rejected}
            faults={all}
            onSubmit={submitJob}
          />
        </Stack>
        <div className={classes.side}>
          <SidePanel search={search} yaml={yaml} />
        </div>
      </div>
    </ComposerProvider>
  );
}

/** Before any field or the editor handles it, which would insert a line break. */
function isSubmitKey(event: KeyboardEvent): boolean {
  const isSubmit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isSubmit) {
    event.preventDefault();
    event.stopPropagation();
  }
  return isSubmit;
}

/** The last rejection, until something is edited. */
function useRejection(error: Error | null, work: Work): Error | null {
  const [at, setAt] = useState<{ error: Error; key: string } | null>(null);
  if (error && at?.error !== error) setAt({ error, key: work.key });
  const isSame = at !== null && at.error === error && at.key === work.key;
  return isSame ? error : null;
}

function faultsOf(rejected: Error | null): Fault[] {
  return rejected instanceof ProblemError ? rejected.faults : [];
}

function merged(composed: Fault[], rejected: Fault[]): Fault[] {
  const known = new Set(composed.map((fault) => `${fault.field} ${fault.message}`));
  return [
    ...composed,
    ...rejected.filter((fault) => !known.has(`${fault.field} ${fault.message}`)),
  ];
}

/** Faults of untouched fields stay hidden until the field is left or the job is submitted. */
function useVisibleFaults(faults: Fault[], draft: DraftState, source: Source) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const isPrefilled = ["task", "recipe", "model"].includes(source.kind);
  const [all, setAll] = useState(isPrefilled || draft.isChanged);
  const touch = useCallback(
    (field: string) => setTouched((before) => new Set([...before, field])),
    [],
  );
  const shown = useMemo(
    () =>
      faults.filter(
        ({ field }) =>
          all || [...touched].some((path) => field === path || field.startsWith(`${path}.`)),
      ),
    [faults, touched, all],
  );
  return { shown, touch, showAll: () => setAll(true) };
}
