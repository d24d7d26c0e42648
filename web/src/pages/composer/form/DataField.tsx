import { useQuery } from "@tanstack/react-query";
import { datasetChoicesQuery } from "~/datasets/api";
import { dataChoices } from "~/datasets/choices";
import { BrowseButton } from "~/endpoints/BrowseDialog";
import { PLAIN } from "~/jobs/spec/values";
import { useComposer } from "../state/context";
import { KeyValueField } from "./KeyValueField";

/** Datasets by name and version, or paths on the endpoint. */
export function DataField() {
  const { data } = useQuery(datasetChoicesQuery);
  const endpoint = useComposer().composition?.endpoint;
  return (
    <KeyValueField
      path="data"
      help="Datasets, or paths on the endpoint. The program finds each as $DIAMOND_DATA/name."
      nameLabel="Data name"
      valueLabel="Dataset or path"
      namePlaceholder="era5"
      valuePlaceholder="era5@v2, or /scratch/era5"
      add="Add data"
      cells={PLAIN}
      choices={data ? dataChoices(data.own, data.shared) : []}
      chooser={
        endpoint
          ? (label, choose) => <BrowseButton endpoint={endpoint} label={label} onChoose={choose} />
          : undefined
      }
    />
  );
}
