import { Text } from "@mantine/core";
import { FormCard } from "~/components/FormCard";
import { readLines, showValue } from "~/jobs/spec/values";
import { fromForm } from "~/jobs/work";
import { CodeField } from "../code/CodeField";
import { useComposer, useField } from "../state/context";
import { ChoiceField, LongField, TextField } from "./fields";
import { KeyValueField } from "./KeyValueField";

export function ProgramSection() {
  const { draft } = useComposer();
  const isNotebook = draft.work.spec.notebook !== undefined;
  return (
    <FormCard title="Program" help="What to run, and the name of the job.">
      <TextField path="name" help="A short name to find the job by." placeholder="job" />
      {isNotebook ? <NotebookField /> : <CommandField />}
      <CodeField />
      <KeyValueField
        path="params"
        help={
          isNotebook
            ? "Values passed to the notebook."
            : "Each value replaces {name} in the command. {name:--option %} is left out if it is empty."
        }
        nameLabel="Parameter"
        valueLabel="Value"
        namePlaceholder="lr"
        valuePlaceholder="0.001"
        add="Add parameter"
      />
    </FormCard>
  );
}

function CommandField() {
  const { value, set } = useField("run");
  const shared = { path: "run", withAsterisk: true };
  if (Array.isArray(value)) {
    return (
      <LongField
        {...shared}
        help="One argument per line. Run directly, without a shell."
        value={value.map(showValue).join("\n")}
        onChange={(event) => set(readLines(event.currentTarget.value))}
      />
    );
  }
  return (
    <LongField
      {...shared}
      help="What you would type in a terminal, in your code folder."
      placeholder="python train.py --lr {lr}"
    />
  );
}

/** When emptied it stays a notebook job, and the service asks for the name. */
function NotebookField() {
  const { draft } = useComposer();
  const set = (notebook: string) =>
    draft.change((work) => fromForm(work, { spec: { ...work.spec, notebook } }));
  return (
    <>
      <ChoiceField
        path="notebook"
        withAsterisk
        help="Path in your code folder."
        placeholder="analysis.ipynb"
        data={draft.work.notebooks}
        onChange={set}
      />
      <Text size="sm" c="dimmed">
        The notebook runs from the first cell to the last. The executed copy, with all outputs, is
        saved in the task's files, even if a cell fails.
      </Text>
    </>
  );
}
