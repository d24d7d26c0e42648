import { Button, Group, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { FormDialog } from "~/components/FormDialog";
import { Section } from "~/components/Section";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { type ProjectPage, projectsApi } from "~/projects/api";
import { isManager } from "~/projects/permissions";
import { CourseSection } from "./course/CourseSection";
import { RestrictSection } from "./RestrictSection";

/** Title, course, restrictions, archiving and deletion. */
export function SettingsTab({ project }: { project: ProjectPage }) {
  if (!isManager(project)) {
    return (
      <Section title="About this project">
        <Text size="sm">
          {project.title || project.name}, created <TimeAgo at={project.created} />. Its managers
          can rename and archive it.
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
      {project.role === "owner" && <DeleteSection project={project} />}
    </>
  );
}

function TitleSection({ project }: { project: ProjectPage }) {
  const [title, setTitle] = useState(project.title);
  const save = useAction({
    call: () => projectsApi.change(project.id, { title }),
    refresh: [keys.projects],
    success: "Saved.",
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
      {save.error && <ErrorAlert error={save.error} />}
    </Section>
  );
}

function ArchiveSection({ project }: { project: ProjectPage }) {
  const isArchived = project.archived != null;
  const change = useAction({
    call: () => projectsApi.change(project.id, { archived: !isArchived }),
    refresh: [keys.projects],
    success: isArchived ? "Project reopened" : "Project archived",
    onError: showError,
  });
  return (
    <Section
      title={isArchived ? "Archived" : "Archive"}
      about={
        isArchived
          ? "No new jobs can be submitted. Everything in the project can still be viewed."
          : "Stops new jobs. Nothing is deleted, and you can reopen the project at any time."
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

function DeleteSection({ project }: { project: ProjectPage }) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useAction({
    call: () => projectsApi.remove(project.id),
    refresh: [keys.projects],
    success: `${project.name} deleted`,
    onSuccess: () => void navigate({ to: "/projects" }),
  });
  return (
    <Section title="Delete" about="Only a project without tasks can be deleted.">
      <Group>
        <Button variant="light" color="red" onClick={() => setConfirming(true)}>
          Delete project…
        </Button>
      </Group>
      {isConfirming && (
        <FormDialog
          title={`Delete ${project.name}?`}
          submitLabel="Delete"
          cancelLabel="Cancel"
          danger
          isPending={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.run()}
          onClose={() => setConfirming(false)}
        >
          <Text size="sm">
            Members lose access to the project. Their own jobs and images are kept.
          </Text>
        </FormDialog>
      )}
    </Section>
  );
}
