import { Checkbox, Select } from "@mantine/core";
import { FormCard } from "~/components/FormCard";
import { useEnvironmentField } from "~/images/environment/context";
import { EnvironmentLines, EnvironmentText } from "~/images/environment/fields";
import { showValue } from "~/jobs/spec/values";
import classes from "../ImageBuilder.module.css";

const USUAL = ["cpu", "cuda-12.4", "cuda-12.6", "rocm-6.2"];

export function DependenciesStep() {
  return (
    <FormCard title="Dependencies" help="The packages your program needs.">
      <EnvironmentLines
        path="requirements"
        help="One per line, as in requirements.txt. Exact versions are resolved once and stored with their hashes."
        placeholder={"torch==2.13.0\nnumpy"}
        minRows={4}
      />
      <div className={classes.two}>
        <EnvironmentText path="python" placeholder="from the base" help="For example 3.12." />
        <Accelerator />
      </div>
      <EnvironmentLines
        path="system"
        help="One per line, installed with the base's package manager (for example apt)."
        placeholder={"git\nlibgl1"}
        minRows={2}
      />
      <Inherit />
    </FormCard>
  );
}

/** Suggestions only: another value may come from an imported file and is kept. */
function Accelerator() {
  const field = useEnvironmentField("accelerator");
  const value = showValue(field.value);
  const data = value && !USUAL.includes(value) ? [...USUAL, value] : USUAL;
  return (
    <Select
      id={field.id}
      label="Accelerator"
      description={field.fault ? undefined : "Selects package builds for this kind of GPU."}
      inputWrapperOrder={["label", "input", "description", "error"]}
      placeholder="package default"
      data={data}
      value={value || null}
      onChange={(next) => field.set(next ?? undefined)}
      error={field.fault}
      clearable
      clearButtonProps={{ "aria-label": "Clear the accelerator" }}
    />
  );
}

function Inherit() {
  const field = useEnvironmentField("inherit");
  return (
    <Checkbox
      id={field.id}
      label="Also use the Python packages in the base"
      description="For a base that already contains a framework, such as the PyTorch image."
      checked={field.value === true}
      onChange={(event) => field.set(event.currentTarget.checked || undefined)}
      error={field.fault}
    />
  );
}
