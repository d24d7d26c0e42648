import { Group, Stack } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useState } from "react";
import { ProblemError } from "~/api/client";
import classes from "./Composer.module.css";
import { DraftNote, OtherTab } from "./DraftNotes";
import { HowMuch } from "./form/HowMuch";
import { What } from "./form/What";
import { Where } from "./form/Where";
import { WithWhat } from "./form/WithWhat";
import { Submit } from "./Submit";
import { Side } from "./side/Side";
import type { Source } from "./start/source";
import { sourceKey } from "./start/source";
import type { Fault } from "./state/calls";
import { ComposerProvider, type ComposerState } from "./state/context";
import { useComposition } from "./state/useComposition";
import { type DraftState, useDraft } from "./state/useDraft";
import { useSubmit } from "./state/useSubmit";
import { useYaml } from "./state/useYaml";
import type { Work } from "./state/work";

type EditorProps = { source: Source; initial: Work; start: ReactNode };

/** The form, and beside it the same job as text. */
export function Editor({ source, initial, start }: EditorProps) {
  const draft = useDraft(sourceKey(source), initial);
  const search = useSearch({ from: "/compose" });
  const yaml = useYaml(draft);
  const submit = useSubmit(draft);
  const { data: composition } = useComposition(draft.work);
  const refused = useRefusal(submit.error, draft.work);
  const all = merged(composition?.faults ?? [], faultsOf(refused));
  const { shown, touch, showAll } = useShown(all, draft, source);
  const send = () => {
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
      <OtherTab draft={draft} />
      <div className={classes.columns} onKeyDownCapture={(event) => isSubmitKey(event) && send()}>
        <Stack gap="md">
          <What />
          <Where />
          <HowMuch />
          <WithWhat />
          <Submit isSending={submit.isPending} error={refused} faults={all} onSubmit={send} />
        </Stack>
        <div className={classes.side}>
          <Side search={search} yaml={yaml} />
        </div>
      </div>
    </ComposerProvider>
  );
}

/** Before any field or the editor, which would make a new line of it. */
function isSubmitKey(event: KeyboardEvent): boolean {
  const isIt = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isIt) {
    event.preventDefault();
    event.stopPropagation();
  }
  return isIt;
}

/** The last refusal, as long as what was refused stands as it is. */
function useRefusal(error: Error | null, work: Work): Error | null {
  const [at, setAt] = useState<{ error: Error; key: string } | null>(null);
  if (error && at?.error !== error) setAt({ error, key: work.key });
  const isSame = at !== null && at.error === error && at.key === work.key;
  return isSame ? error : null;
}

function faultsOf(refused: Error | null): Fault[] {
  return refused instanceof ProblemError ? refused.faults : [];
}

function merged(composed: Fault[], refused: Fault[]): Fault[] {
  const known = new Set(composed.map((fault) => `${fault.field} ${fault.message}`));
  return [...composed, ...refused.filter((one) => !known.has(`${one.field} ${one.message}`))];
}

/** An untouched field is not called wrong: only what was left, or everything after trying to submit. */
function useShown(faults: Fault[], draft: DraftState, source: Source) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const isFilledFor = source.kind === "task" || source.kind === "recipe";
  const [all, setAll] = useState(isFilledFor || draft.isChanged);
  const touch = useCallback(
    (field: string) => setTouched((before) => new Set([...before, field])),
    [],
  );
  const shown = useMemo(
    () =>
      faults.filter(
        ({ field }) =>
          all || [...touched].some((one) => field === one || field.startsWith(`${one}.`)),
      ),
    [faults, touched, all],
  );
  return { shown, touch, showAll: () => setAll(true) };
}
