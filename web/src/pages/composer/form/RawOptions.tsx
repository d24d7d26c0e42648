import { isMapping } from "../spec/draft";
import { useComposer } from "../state/context";
import { RowsField } from "./RowsField";

/** The way through for whatever the form does not know: options of the batch system itself. */
export function RawOptions() {
  const systems = useBatchSystems();
  return systems.map((system) => (
    <RowsField
      key={system}
      path={`options.${system}`}
      label={`Options of ${system}`}
      help="Any other option by its long name, passed on as it is."
      nameLabel="Option"
      valueLabel="Value of option"
      namePlaceholder="exclude"
      valuePlaceholder="node07"
      add="Add an option"
    />
  ));
}

/** That of the endpoint, and any that the spec names. */
function useBatchSystems(): string[] {
  const { draft, composition } = useComposer();
  const choices = composition?.choices;
  const here = choices?.has_batch_system ? choices.scheduler : "";
  const { options } = draft.work.spec;
  const named = isMapping(options) ? Object.keys(options) : [];
  return [...new Set([...(here ? [here] : []), ...named])];
}
