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
          {project.title || project.name}, created <Ago at={project.created} />. Its managers can
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
    done: "Saved.",
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  return (
    <Section title="Title" about={`In the terminal, use the name ${project.name}.`}>
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
    done: isArchived ? "Project reopened" : "Project archived",
    onError: sayFailed,
  });
  return (
    <Section
      title={isArchived ? "Archived" : "Archive"}
      about={
        isArchived
          ? "The project is read-only. Everything in it can still be viewed."
          : "Makes the project read-only. Nothing is deleted, and you can reopen it at any time."
      }
    >
      <Group>
        <Button variant="default" loading={change.isPending} onClick={() => change.run()}>
          {isArchived ? "Reopen project" : "Archive project"}
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
    done: `${project.name} deleted`,
    onDone: () => void navigate({ to: "/projects" }),
  });
  return (
    <Section title="Delete" about="Only a project without tasks can be deleted.">
      <Group>
        <Button variant="light" color="red" onClick={() => ask(true)}>
          Delete project…
        </Button>
      </Group>
      {asked && (
        <Ask
          title={`Delete ${project.name}?`}
          deed="Delete"
          leave="Cancel"
          danger
          isPending={remove.isPending}
          error={remove.error}
          onDo={() => remove.run()}
          onClose={() => ask(false)}
        >
          <Text size="sm">
            Members lose access to the project. Their own jobs and images are kept.
          </Text>
        </Ask>
      )}
    </Section>
  );
}
