import { Button, Group, SimpleGrid, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { askCourses, type Course } from "~/api/courses";
import type { ProjectPage } from "~/api/projects";
import { keys } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { MomentInput } from "~/components/MomentInput";
import { Section } from "~/components/Section";
import { sayFailed } from "~/components/say";
import { useDeed } from "~/components/useDeed";

type Wanted = Required<Course>;
const NEW: Wanted = { starts: null, ends: null, account: "", reservation: "" };

/** Makes a project a course, and keeps its terms. */
export function CourseSection({ project }: { project: ProjectPage }) {
  const [wanted, setWanted] = useState<Wanted>({ ...NEW, ...project.course });
  const change = (part: Partial<Wanted>) => setWanted((now) => ({ ...now, ...part }));
  const keep = useDeed({
    by: () => askCourses.set(project.id, wanted),
    renews: [keys.projects],
    done: project.course ? "Saved." : "The project is now a course.",
  });
  const stop = useDeed({
    by: () => askCourses.stop(project.id),
    renews: [keys.projects],
    done: "The project is no longer a course.",
    onError: sayFailed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keep.run();
  };
  return (
    <Section
      title="Course"
      about="In a course, members see only their own work, and managers see everyone's. Students start assignments with one click, and you see everyone's progress in one table."
    >
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
          <MomentInput
            label="Starts"
            description="Members cannot start jobs before this."
            value={wanted.starts}
            onChange={(starts) => change({ starts })}
          />
          <MomentInput
            label="Ends"
            description="Members cannot start jobs after this."
            value={wanted.ends}
            onChange={(ends) => change({ ends })}
          />
          <TextInput
            label="Account"
            description="The allocation charged for all jobs."
            placeholder="as set in each job"
            value={wanted.account}
            onChange={(event) => change({ account: event.currentTarget.value })}
          />
          <TextInput
            label="Reservation"
            description="Nodes the site reserves for the course."
            placeholder="as set in each job"
            value={wanted.reservation}
            onChange={(event) => change({ reservation: event.currentTarget.value })}
          />
        </SimpleGrid>
        {keep.error && <Failed error={keep.error} />}
        <Group gap="xs">
          <Button type="submit" loading={keep.isPending}>
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
