import { isMapping } from "~/jobs/spec/draft";
import { useComposer } from "../state/context";
import { KeyValueField } from "./KeyValueField";

/** Batch system options that the form does not cover. */
export function RawOptions() {
  const systems = useBatchSystems();
  return systems.map((system) => (
    <KeyValueField
      key={system}
      path={`options.${system}`}
      label={`Additional ${system} options`}
      help="Any other option by its long name, passed on unchanged."
      nameLabel="Option"
      valueLabel="Value of option"
      namePlaceholder="exclude"
      valuePlaceholder="node07"
      add="Add option"
    />
  ));
}

/** The endpoint's batch system, and any named in the spec. */
function useBatchSystems(): string[] {
  const { draft, composition } = useComposer();
  const choices = composition?.choices;
  const here = choices?.has_batch_system ? choices.scheduler : "";
  const { options } = draft.work.spec;
  const named = isMapping(options) ? Object.keys(options) : [];
  return [...new Set([...(here ? [here] : []), ...named])];
}
