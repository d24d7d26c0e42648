import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";
import { projectsApi } from "~/projects/api";

export function NewProject({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [title, setTitle] = useState("");
  const navigate = useNavigate();
  const create = useAction({
    call: () => projectsApi.add(name.trim(), title.trim()),
    refresh: [keys.projects],
    onSuccess: ({ id }) =>
      void navigate({
        to: "/projects/$project",
        params: { project: id },
        search: { tab: "people" },
      }),
  });
  return (
    <FormDialog
      title="New project"
      submitLabel="Create"
      isPending={create.isPending}
      isReady={Boolean(name.trim())}
      error={create.error}
      onSubmit={() => create.run()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="A short name for the terminal: letters, digits, dashes."
        placeholder="climate-lab"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        spellCheck={false}
        data-autofocus
      />
      <TextInput
        label="Title"
        description="Shown to the people you invite."
        placeholder="Downscaling of regional climate models"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
