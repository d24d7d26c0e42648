import { useQuery } from "@tanstack/react-query";
import { endpointsQuery } from "~/api/queries";
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
  const { data } = useQuery(endpointsQuery);
  const endpoint = data?.items.find((one) => one.name === composition?.endpoint);
  const here = schedulerName(endpoint?.profile);
  const { options } = draft.work.spec;
  const named = isMapping(options) ? Object.keys(options) : [];
  return [...new Set([...(here && here !== "local" ? [here] : []), ...named])];
}

function schedulerName(profile: unknown): string {
  const facts = isMapping(profile) && isMapping(profile.facts) ? profile.facts : {};
  const fact = isMapping(facts.scheduler) ? facts.scheduler : {};
  const value = isMapping(fact.value) ? fact.value : fact;
  return typeof value.name === "string" ? value.name : "";
}
