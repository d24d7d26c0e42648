import { Button, Group, SimpleGrid, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { keys } from "~/api/queryKeys";
import { DateTimeInput } from "~/components/DateTimeInput";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Section } from "~/components/Section";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { type Course, coursesApi } from "~/courses/api";
import type { ProjectPage } from "~/projects/api";

type CourseDraft = Required<Course>;
const NEW: CourseDraft = { starts: null, ends: null, account: "", reservation: "" };

/** Turns a project into a course, and edits its settings. */
export function CourseSection({ project }: { project: ProjectPage }) {
  const [draft, setDraft] = useState<CourseDraft>({ ...NEW, ...project.course });
  const change = (part: Partial<CourseDraft>) => setDraft((now) => ({ ...now, ...part }));
  const save = useAction({
    call: () => coursesApi.saveCourse(project.id, draft),
    refresh: [keys.projects],
    success: project.course ? "Saved." : "The project is now a course.",
  });
  const stop = useAction({
    call: () => coursesApi.endCourse(project.id),
    refresh: [keys.projects],
    success: "The project is no longer a course.",
    onError: showError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  return (
    <Section
      title="Course"
      about="In a course, members see only their own work, and managers see everyone's. Students start assignments with one click, and you see everyone's progress in one table."
    >
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
          <DateTimeInput
            label="Starts"
            description="Members cannot start jobs before this."
            value={draft.starts}
            onChange={(starts) => change({ starts })}
          />
          <DateTimeInput
            label="Ends"
            description="Members cannot start jobs after this."
            value={draft.ends}
            onChange={(ends) => change({ ends })}
          />
          <TextInput
            label="Account"
            description="The allocation charged for all jobs."
            placeholder="as set in each job"
            value={draft.account}
            onChange={(event) => change({ account: event.currentTarget.value })}
          />
          <TextInput
            label="Reservation"
            description="Nodes the site reserves for the course."
            placeholder="as set in each job"
            value={draft.reservation}
            onChange={(event) => change({ reservation: event.currentTarget.value })}
          />
        </SimpleGrid>
        {save.error && <ErrorAlert error={save.error} />}
        <Group gap="xs">
          <Button type="submit" loading={save.isPending}>
            {project.course ? "Save course" : "Turn into a course"}
          </Button>
          {project.course && (
            <Button variant="default" loading={stop.isPending} onClick={() => stop.run()}>
              Turn back into a project
            </Button>
          )}
        </Group>
      </form>
    </Section>
  );
}
