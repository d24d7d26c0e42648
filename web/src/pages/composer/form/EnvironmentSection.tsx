import { Anchor, TagsInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { BrowseButton } from "~/endpoints/BrowseDialog";
import { PLAIN, TYPED } from "~/jobs/spec/values";
import { labelOf } from "../fieldLabels";
import { useComposer, useField } from "../state/context";
import { EnvironmentField } from "./EnvironmentField";
import { Collapsible, FormSection } from "./FormSection";
import { KeyValueField } from "./KeyValueField";

export function EnvironmentSection() {
  const endpoint = useComposer().composition?.endpoint;
  return (
    <FormSection
      title="Environment and data"
      help="What the program needs in addition to its code."
    >
      <EnvironmentField />
      <KeyValueField
        path="data"
        help="Folders or files on the endpoint, available to the program as $DIAMOND_DATA/name."
        nameLabel="Data name"
        valueLabel="Path"
        namePlaceholder="era5"
        valuePlaceholder="/scratch/era5 or $WORK/era5"
        add="Add path"
        cells={PLAIN}
        chooser={
          endpoint
            ? (label, choose) => (
                <BrowseButton endpoint={endpoint} label={label} onChoose={choose} />
              )
            : undefined
        }
      />
      <SecretsField />
      <Collapsible title="Environment variables" fields={["environment.variables"]}>
        <KeyValueField
          path="environment.variables"
          help="Do not put secrets here: variables are stored and shown."
          nameLabel="Variable"
          valueLabel="Value of variable"
          namePlaceholder="OMP_NUM_THREADS"
          valuePlaceholder="4"
          add="Add variable"
          cells={TYPED}
        />
      </Collapsible>
    </FormSection>
  );
}

function SecretsField() {
  const { composition } = useComposer();
  const field = useField("secrets");
  const known = composition?.choices.secrets ?? [];
  const endpoint = composition?.endpoint;
  return (
    <TagsInput
      id={field.id}
      label={labelOf("secrets")}
      description={
        <>
          Names of tokens and passwords. The program finds each as a file in $DIAMOND_SECRETS.{" "}
          {endpoint && (
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => (
                <Link to="/endpoints/$name" params={{ name: endpoint }} hash="secrets" {...props} />
              )}
            >
              Add a secret on {endpoint}
            </Anchor>
          )}
        </>
      }
      inputWrapperOrder={["label", "description", "input", "error"]}
      data={known}
      value={Array.isArray(field.value) ? field.value.map(String) : []}
      onChange={field.set}
      onBlur={field.touch}
      error={field.fault}
      placeholder={known.length ? "Choose a name" : "HF_TOKEN"}
      acceptValueOnBlur
    />
  );
}
