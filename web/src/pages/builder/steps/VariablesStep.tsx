import { Rows } from "~/components/Rows";
import { useEnvironment } from "~/environment/context";
import { PLAIN } from "~/pages/composer/spec/values";
import { Step } from "./Step";

export function VariablesStep() {
  const { id, value, fault, set, touch } = useEnvironment("variables");
  return (
    <Step
      title="Environment variables"
      help="Set in the image for everything that runs inside, and while its commands run."
    >
      <Rows
        {...{ id, value, fault }}
        label="Variables"
        help="Never secrets: they would be in the image for all to read. A job gets its secrets when it starts."
        nameLabel="Variable"
        valueLabel="Value of variable"
        namePlaceholder="OMP_NUM_THREADS"
        valuePlaceholder="4"
        add="Add a variable"
        cells={PLAIN}
        onChange={set}
        onBlur={touch}
      />
    </Step>
  );
}
