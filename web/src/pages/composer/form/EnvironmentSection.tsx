import { Anchor, TagsInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { FormCard } from "~/components/FormCard";
import { TYPED } from "~/jobs/spec/values";
import { labelOf } from "../fieldLabels";
import { useComposer, useField } from "../state/context";
import { Collapsible } from "./Collapsible";
import { DataField } from "./DataField";
import { EnvironmentField } from "./EnvironmentField";
import { KeyValueField } from "./KeyValueField";

export function EnvironmentSection() {
  return (
    <FormCard title="Environment and data" help="What the program needs in addition to its code.">
      <EnvironmentField />
      <DataField />
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
    </FormCard>
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
