import { createContext, useContext } from "react";
import type { Schemas } from "~/api/client";
import type { Field } from "~/images/environment/context";
import { faultAt, fieldId } from "~/jobs/faults";
import { valueAt, withValue } from "~/jobs/spec/draft";
import type { DraftState } from "~/jobs/useDraft";
import type { BuilderWork } from "./work";

export type Fault = Schemas["Fault"];
export type Preview = Schemas["EnvironmentPreview"];

export type BuilderState = {
  draft: DraftState<BuilderWork>;
  preview: Preview | undefined;
  previewError: Error | null;
  faults: Fault[];
};

const Context = createContext<BuilderState | null>(null);
export const BuilderProvider = Context.Provider;

export function useBuilder(): BuilderState {
  const state = useContext(Context);
  if (!state) throw new Error("outside of the builder");
  return state;
}

/** A field of the environment for the shared form parts. */
export function fieldOf({ draft, faults }: BuilderState, path: string): Field {
  return {
    id: fieldId(path),
    value: valueAt(draft.work.spec, path),
    fault: faultAt(faults, path),
    set: (value) => draft.change((work) => ({ ...work, spec: withValue(work.spec, path, value) })),
    touch: () => undefined,
  };
}

/** A text field next to the environment. */
export function useTextField(name: "name" | "partition" | "account" | "walltime" | "memory") {
  const { draft, faults } = useBuilder();
  const path = name === "walltime" || name === "memory" ? `resources.${name}` : name;
  return {
    id: fieldId(path),
    value: draft.work[name],
    error: faultAt(faults, path),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      draft.change((work) => ({ ...work, [name]: value }));
    },
    autoComplete: "off",
    spellCheck: false,
  };
}
