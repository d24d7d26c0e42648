import { Text } from "@mantine/core";
import { CodeField } from "../code/CodeField";
import { readLines, showValue } from "../spec/values";
import { useComposer, useField } from "../state/context";
import { fromForm } from "../state/work";
import { ChoiceField, LongField, TextField } from "./fields";
import { RowsField } from "./RowsField";
import { Section } from "./Section";

export function What() {
  const { draft } = useComposer();
  const isNotebook = draft.work.spec.notebook !== undefined;
  return (
    <Section title="What" help="The program to run, and what you call it.">
      <TextField path="name" help="To find it again; a few words." placeholder="job" maw={420} />
      {isNotebook ? <NotebookField /> : <CommandField />}
      <CodeField />
      <RowsField
        path="params"
        help={
          isNotebook
            ? "Values that the notebook gets."
            : "Each fills {name} in the command, so that you can change it without touching the code."
        }
        nameLabel="Parameter"
        valueLabel="Value"
        namePlaceholder="lr"
        valuePlaceholder="0.001"
        add="Add a parameter"
      />
    </Section>
  );
}

function CommandField() {
  const { value, set } = useField("run");
  const shared = { path: "run", withAsterisk: true };
  if (Array.isArray(value)) {
    return (
      <LongField
        {...shared}
        help="One word a line: it is written as a list, which no shell reads."
        value={value.map(showValue).join("\n")}
        onChange={(event) => set(readLines(event.currentTarget.value))}
      />
    );
  }
  return (
    <LongField
      {...shared}
      help="What you would type in a terminal, in the folder of your code."
      placeholder="python train.py --lr {lr}"
    />
  );
}

/** Emptied it stays a notebook's job, and the service asks for its name. */
function NotebookField() {
  const { draft } = useComposer();
  const set = (notebook: string) =>
    draft.change((work) => fromForm(work, { spec: { ...work.spec, notebook } }));
  return (
    <>
      <ChoiceField
        path="notebook"
        withAsterisk
        help="Its place in the folder of your code."
        placeholder="analysis.ipynb"
        data={draft.work.notebooks}
        onChange={set}
      />
      <Text size="sm" c="dimmed">
        It runs from the first cell to the last. The executed copy, with all outputs, is kept and
        shown among the task's files, also when a cell fails.
      </Text>
    </>
  );
}
