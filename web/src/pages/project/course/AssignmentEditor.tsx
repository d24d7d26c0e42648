import { Group, Select, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { DateTimeInput } from "~/components/DateTimeInput";
import { FormDialog } from "~/components/FormDialog";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { type Assignment, coursesApi } from "~/courses/api";
import { parseYaml, renderYaml } from "~/jobs/api";
import type { ProjectPage } from "~/projects/api";

type EditorProps = { project: ProjectPage; assignment: Assignment | null; onClose: () => void };
type AssignmentDraft = Omit<Required<Schemas["AssignmentRequest"]>, "spec">;

const NEW: AssignmentDraft = { name: "", title: "", text: "", due: null, code: null };

/** An assignment is a normal job: copied from a successful task, or written as a diamond.yaml. */
export function AssignmentEditor({ project, assignment, onClose }: EditorProps) {
  const [draft, setDraft] = useState<AssignmentDraft>(assignment ? draftOf(assignment) : NEW);
  const [yaml, setYaml] = useSpecText(assignment);
  const change = (part: Partial<AssignmentDraft>) => setDraft((now) => ({ ...now, ...part }));
  const save = useAction({
    call: async () => {
      const spec = await specOf(yaml);
      return coursesApi.saveAssignment(project.id, assignment?.name ?? null, { ...draft, spec });
    },
    refresh: [keys.projects, keys.tasks],
    success: "Assignment published.",
    onSuccess: onClose,
  });
  const copyFromTask = async (task: string) => {
    const job = await jobOf(task);
    setYaml(await renderYaml(job.spec));
    change({ code: job.code, name: draft.name || job.name });
  };
  return (
    <FormDialog
      title={assignment ? `Edit ${assignment.name}` : "New assignment"}
      submitLabel={assignment ? "Save" : "Publish"}
      isPending={save.isPending}
      isReady={Boolean(draft.name.trim() && yaml.trim())}
      error={save.error}
      onSubmit={() => save.run()}
      onClose={onClose}
      size="xl"
    >
      <Group grow align="flex-start">
        <TextInput
          label="Name"
          description="A short name for the terminal."
          placeholder="week-1"
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          spellCheck={false}
          data-autofocus
        />
        <DateTimeInput
          label="Due"
          description="Copies started later are marked as late."
          value={draft.due}
          onChange={(due) => change({ due })}
        />
      </Group>
      <TextInput
        label="Title"
        placeholder="A first network"
        value={draft.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Instructions"
        autosize
        minRows={3}
        maxRows={12}
        value={draft.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
      <CopyFromTask onChoose={(task) => void copyFromTask(task).catch(showError)} />
      <Textarea
        label="Job (diamond.yaml)"
        description={draft.code ? "Includes the code of that task." : "Without code."}
        placeholder={"name: week-1\nrun: python train.py\n"}
        autosize
        minRows={5}
        maxRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={yaml}
        onChange={(event) => setYaml(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** The instructor's latest tasks: what ran for them runs for the students. */
function CopyFromTask({ onChoose }: { onChoose: (task: string) => void }) {
  const { data } = useQuery({
    queryKey: [...keys.tasks, "to-assign"],
    queryFn: () => dataOf(api.GET("/api/v1/tasks", { params: { query: { limit: 30 } } })),
  });
  const tasks = data?.items ?? [];
  if (!tasks.length) {
    return (
      <Text size="sm" c="dimmed">
        Run the job once yourself to use it here, including its code.
      </Text>
    );
  }
  return (
    <Select
      label="Copy from one of your tasks"
      description="Copies the task's spec and code."
      placeholder="Choose a task"
      data={tasks.map((task) => ({ value: task.id, label: `${task.name} (${task.state})` }))}
      onChange={(task) => task && onChoose(task)}
      searchable
    />
  );
}

/** A stored spec, shown as a person would write it. */
function useSpecText(assignment: Assignment | null): [string, (text: string) => void] {
  const [typed, setTyped] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: [...keys.projects, "assignment-text", assignment?.id],
    queryFn: () => renderYaml(assignment?.spec ?? {}),
    enabled: assignment !== null,
  });
  return [typed ?? data ?? "", setTyped];
}

async function specOf(yaml: string): Promise<Schemas["AssignmentRequest"]["spec"]> {
  const { spec, faults } = await parseYaml(yaml);
  const [first] = faults;
  if (spec === null || first) {
    const where = first?.line ? `Line ${first.line}: ` : "";
    throw new Error(`${where}${first?.message ?? "The YAML is not valid"}`);
  }
  return spec as Schemas["AssignmentRequest"]["spec"];
}

async function jobOf(task: string) {
  const details = await dataOf(api.GET("/api/v1/tasks/{task}", { params: { path: { task } } }));
  return dataOf(api.GET("/api/v1/jobs/{job}", { params: { path: { job: details.job } } }));
}

function draftOf({ name, title, text, due, code }: Assignment): AssignmentDraft {
  return { name, title, text, due, code };
}
