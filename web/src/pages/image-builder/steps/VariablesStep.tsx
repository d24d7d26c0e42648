import { FormCard } from "~/components/FormCard";
import { useEnvironmentField } from "~/images/environment/context";
import { KeyValueRows } from "~/jobs/KeyValueRows";
import { PLAIN } from "~/jobs/spec/values";

export function VariablesStep() {
  const { id, value, fault, set, touch } = useEnvironmentField("variables");
  return (
    <FormCard
      title="Environment variables"
      help="Set for everything that runs in the image, including the build commands."
    >
      <KeyValueRows
        {...{ id, value, fault }}
        label="Variables"
        help="Do not put secrets here: everyone who has the image can read them. Jobs receive secrets when they start."
        nameLabel="Variable"
        valueLabel="Value of variable"
        namePlaceholder="OMP_NUM_THREADS"
        valuePlaceholder="4"
        add="Add variable"
        cells={PLAIN}
        onChange={set}
        onBlur={touch}
      />
    </FormCard>
  );
}
