import { createContext, useContext } from "react";
import type { Composition, Fault } from "~/jobs/api";
import { faultAt, fieldId } from "~/jobs/faults";
import { valueAt, withValue } from "~/jobs/spec/draft";
import type { DraftState } from "~/jobs/useDraft";
import { fromForm } from "~/jobs/work";
import type { Source } from "../start/source";

export type ComposerState = {
  source: Source;
  draft: DraftState;
  composition: Composition | undefined;
  /** Visible faults: of touched fields, or all after trying to submit. */
  faults: Fault[];
  touch: (field: string) => void;
};

const Context = createContext<ComposerState | null>(null);
export const ComposerProvider = Context.Provider;

export function useComposer(): ComposerState {
  const state = useContext(Context);
  if (!state) throw new Error("outside of the composer");
  return state;
}

/** One field of the spec: value, setter, limit and fault. */
export function useField(path: string) {
  return fieldOf(useComposer(), path);
}

export function fieldOf({ draft, composition, faults, touch }: ComposerState, path: string) {
  const limit = composition?.limits[path];
  return {
    id: fieldId(path),
    value: valueAt(draft.work.spec, path),
    limit,
    fault: faultAt(faults, path),
    set: (value: unknown) =>
      draft.change((work) => fromForm(work, { spec: withValue(work.spec, path, value) })),
    touch: () => touch(path),
  };
}
