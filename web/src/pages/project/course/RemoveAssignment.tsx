import { Text } from "@mantine/core";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";
import { type Assignment, coursesApi } from "~/courses/api";
import type { ProjectPage } from "~/projects/api";

type RemoveProps = { project: ProjectPage; assignment: Assignment; onClose: () => void };

export function RemoveAssignment({ project, assignment, onClose }: RemoveProps) {
  const remove = useAction({
    call: () => coursesApi.removeAssignment(project.id, assignment.name),
    refresh: [keys.projects, keys.tasks],
    success: `${assignment.name} deleted`,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Delete ${assignment.name}?`}
      submitLabel="Delete"
      cancelLabel="Cancel"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">Copies that students have started are kept, with their results.</Text>
    </FormDialog>
  );
}
