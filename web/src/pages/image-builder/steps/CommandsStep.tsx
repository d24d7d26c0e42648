import { FormCard } from "~/components/FormCard";
import { CommandsField } from "~/images/environment/CommandsField";
import { FilesField } from "~/images/environment/FilesField";
import { EnvironmentScript } from "~/images/environment/fields";

export function CommandsStep() {
  return (
    <FormCard
      title="Build commands"
      help="For everything that is not a package: compile, download, configure."
    >
      <CommandsField />
      <FilesField />
      <EnvironmentScript
        path="test"
        help="Run inside the finished image. If it fails, the build fails."
        placeholder="python -c 'import torch'"
        minRows={1}
      />
    </FormCard>
  );
}
