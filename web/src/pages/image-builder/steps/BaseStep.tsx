import { BaseField } from "~/images/environment/BaseField";
import { Starters } from "./Starters";
import { Step } from "./Step";

export function BaseStep() {
  return (
    <Step
      title="Base image"
      help="The starting point: an operating system, often with a framework already installed."
    >
      <Starters />
      <BaseField />
    </Step>
  );
}
