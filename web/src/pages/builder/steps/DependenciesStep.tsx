import { Checkbox, Select } from "@mantine/core";
import { useEnvironment } from "~/environment/context";
import { LinesPart, TextPart } from "~/environment/fields";
import { showValue } from "~/pages/composer/spec/values";
import classes from "../Builder.module.css";
import { Step } from "./Step";

const USUAL = ["cpu", "cuda-12.4", "cuda-12.6", "rocm-6.2"];

export function DependenciesStep() {
  return (
    <Step title="Dependencies" help="What your program imports and calls.">
      <LinesPart
        path="requirements"
        help="One a line, as in a requirements.txt. Exact versions are resolved once and kept with their hashes."
        placeholder={"torch==2.13.0\nnumpy"}
        minRows={4}
      />
      <div className={classes.two}>
        <TextPart path="python" placeholder="the base's own" help="A version such as 3.12." />
        <Accelerator />
      </div>
      <LinesPart
        path="system"
        help="One a line: programs and libraries of the base's own package manager, such as apt."
        placeholder={"git\nlibgl1"}
        minRows={2}
      />
      <Inherit />
    </Step>
  );
}

/** Offered, not decided, here: another word may come from a file, and stays. */
function Accelerator() {
  const field = useEnvironment("accelerator");
  const value = showValue(field.value);
  const data = value && !USUAL.includes(value) ? [...USUAL, value] : USUAL;
  return (
    <Select
      id={field.id}
      label="Accelerator"
      description={field.fault ? undefined : "Chooses the builds of packages for a kind of GPU."}
      inputWrapperOrder={["label", "input", "description", "error"]}
      placeholder="as the packages come"
      data={data}
      value={value || null}
      onChange={(next) => field.set(next ?? undefined)}
      error={field.fault}
      clearable
      clearButtonProps={{ "aria-label": "No accelerator" }}
    />
  );
}

function Inherit() {
  const field = useEnvironment("inherit");
  return (
    <Checkbox
      id={field.id}
      label="Also use the Python packages that the base brings"
      description="For a base that has a framework in it already, such as PyTorch's own."
      checked={field.value === true}
      onChange={(event) => field.set(event.currentTarget.checked || undefined)}
      error={field.fault}
    />
  );
}
