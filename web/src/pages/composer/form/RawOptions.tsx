import { isMapping } from "~/jobs/spec/draft";
import { useComposer } from "../state/context";
import { KeyValueField } from "./KeyValueField";

/** The way through for whatever the form does not know: options of the batch system itself. */
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

/** That of the endpoint, and any that the spec names. */
function useBatchSystems(): string[] {
  const { draft, composition } = useComposer();
  const here = composition?.choices.scheduler;
  const { options } = draft.work.spec;
  const named = isMapping(options) ? Object.keys(options) : [];
  return [...new Set([...(here && here !== "local" ? [here] : []), ...named])];
}
