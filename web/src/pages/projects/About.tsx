import { Button, Group, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { askProjects, type ProjectPage } from "~/api/projects";
import { keys } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { Ask } from "~/components/Ask";
import { Section } from "~/components/Section";
import { sayFailed } from "~/components/say";
import { Ago } from "~/components/Time";
import { useDeed } from "~/components/useDeed";
import { CourseSection } from "./course/CourseSection";
import { RestrictSection } from "./RestrictSection";
import { isManager } from "./rights";

/** What the project is called, and its end. */
export function About({ project }: { project: ProjectPage }) {
  if (!isManager(project)) {
    return (
      <Section title="About this project">
        <Text size="sm">
          {project.title || project.name}, made <Ago at={project.created} />. Its managers can
          rename and archive it.
        </Text>
      </Section>
    );
  }
  return (
    <>
      <TitleSection project={project} />
      <CourseSection project={project} />
      <RestrictSection project={project} />
      <ArchiveSection project={project} />
      {project.role === "owner" && <RemoveSection project={project} />}
    </>
  );
}

function TitleSection({ project }: { project: ProjectPage }) {
  const [title, setTitle] = useState(project.title);
  const save = useDeed({
    by: () => askProjects.change(project.id, { title }),
    renews: [keys.projects],
    done: "Kept.",
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  return (
    <Section title="Title" about={`In a terminal it is called ${project.name}.`}>
      <form onSubmit={submit}>
        <Group align="flex-end">
          <TextInput
            label="Title"
            flex={1}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </form>
      {save.error && <Failed error={save.error} />}
    </Section>
  );
}

function ArchiveSection({ project }: { project: ProjectPage }) {
  const isArchived = project.archived != null;
  const change = useDeed({
    by: () => askProjects.change(project.id, { archived: !isArchived }),
    renews: [keys.projects],
    done: isArchived ? "It takes new work again" : "It is archived",
    onError: sayFailed,
  });
  return (
    <Section
      title={isArchived ? "Archived" : "Archive"}
      about={
        isArchived
          ? "It takes no new work; everything in it can be looked at."
          : "For a project that is over: it takes no new work, nothing is lost, and it can be opened again."
      }
    >
      <Group>
        <Button variant="default" loading={change.isPending} onClick={() => change.run()}>
          {isArchived ? "Open it again" : "Archive the project"}
        </Button>
      </Group>
    </Section>
  );
}

function RemoveSection({ project }: { project: ProjectPage }) {
  const [asked, ask] = useState(false);
  const navigate = useNavigate();
  const remove = useDeed({
    by: () => askProjects.remove(project.id),
    renews: [keys.projects],
    done: `${project.name} is gone`,
    onDone: () => void navigate({ to: "/projects" }),
  });
  return (
    <Section title="Remove" about="Only a project that no task belongs to can be removed.">
      <Group>
        <Button variant="light" color="red" onClick={() => ask(true)}>
          Remove the project…
        </Button>
      </Group>
      {asked && (
        <Ask
          title={`Remove ${project.name}?`}
          deed="Remove it"
          leave="Keep it"
          danger
          isPending={remove.isPending}
          error={remove.error}
          onDo={() => remove.run()}
          onClose={() => ask(false)}
        >
          <Text size="sm">
            Its people lose it as a place to share. Their own things stay theirs.
          </Text>
        </Ask>
      )}
    </Section>
  );
}
