import { BaseField } from "~/environment/BaseField";
import { Step } from "./Step";

export function BaseStep() {
  return (
    <Step
      title="Base image"
      help="What everything else is put on: an operating system, often with a framework in it."
    >
      <BaseField />
    </Step>
  );
}
