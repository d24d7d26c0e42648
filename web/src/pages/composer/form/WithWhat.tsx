import { Anchor, TagsInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { labelOf } from "../labels";
import { PLAIN, TYPED } from "../spec/values";
import { useComposer, useField } from "../state/context";
import { EnvironmentField } from "./Environment";
import { RowsField } from "./RowsField";
import { Fold, Section } from "./Section";

export function WithWhat() {
  return (
    <Section title="With what" help="What the program needs around it.">
      <EnvironmentField />
      <RowsField
        path="data"
        help="Folders or files on the endpoint. The program finds each as $DIAMOND_DATA/name."
        nameLabel="Data name"
        valueLabel="Path"
        namePlaceholder="era5"
        valuePlaceholder="/scratch/era5 or $WORK/era5"
        add="Add a path"
        cells={PLAIN}
      />
      <SecretsField />
      <Fold title="Environment variables" fields={["environment.variables"]}>
        <RowsField
          path="environment.variables"
          help="Never secrets: these are kept and shown."
          nameLabel="Variable"
          valueLabel="Value of variable"
          namePlaceholder="OMP_NUM_THREADS"
          valuePlaceholder="4"
          add="Add a variable"
          cells={TYPED}
        />
      </Fold>
    </Section>
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
          Tokens and passwords by name; the program finds each as a file in $DIAMOND_SECRETS.{" "}
          {endpoint && (
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => (
                <Link to="/endpoints/$name" params={{ name: endpoint }} hash="secrets" {...props} />
              )}
            >
              Add one on {endpoint}
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
      maw={520}
    />
  );
}
