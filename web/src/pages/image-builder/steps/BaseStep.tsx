import { FormCard } from "~/components/FormCard";
import { BaseField } from "~/images/environment/BaseField";
import { Starters } from "./Starters";

export function BaseStep() {
  return (
    <FormCard
      title="Base image"
      help="The starting point: an operating system, often with a framework already installed."
    >
      <Starters />
      <BaseField />
    </FormCard>
  );
}
