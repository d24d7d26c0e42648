import { Text } from "@mantine/core";
import { type Assignment, askCourses } from "~/api/courses";
import type { ProjectPage } from "~/api/projects";
import { keys } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { useDeed } from "~/components/useDeed";

type RemoveProps = { project: ProjectPage; assignment: Assignment; onClose: () => void };

export function RemoveAssignment({ project, assignment, onClose }: RemoveProps) {
  const remove = useDeed({
    by: () => askCourses.remove(project.id, assignment.name),
    renews: [keys.projects, keys.tasks],
    done: `${assignment.name} deleted`,
    onDone: onClose,
  });
  return (
    <Ask
      title={`Delete ${assignment.name}?`}
      deed="Delete"
      leave="Cancel"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onDo={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">Copies that students have started are kept, with their results.</Text>
    </Ask>
  );
}
