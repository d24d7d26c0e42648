import { CommandsField } from "~/environment/CommandsField";
import { FilesField } from "~/environment/FilesField";
import { ScriptPart } from "~/environment/fields";
import { Step } from "./Step";

export function CommandsStep() {
  return (
    <Step title="Build commands" help="Whatever is not a package: compile, download, configure.">
      <CommandsField />
      <FilesField />
      <ScriptPart
        path="test"
        help="Run at the end, inside the image. The build fails if it does: better now than in a job."
        placeholder="python -c 'import torch'"
        minRows={1}
      />
    </Step>
  );
}
