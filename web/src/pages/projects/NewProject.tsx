import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { askProjects } from "~/api/projects";
import { keys } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { useDeed } from "~/components/useDeed";

export function NewProject({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [title, setTitle] = useState("");
  const navigate = useNavigate();
  const make = useDeed({
    by: () => askProjects.add(name.trim(), title.trim()),
    renews: [keys.projects],
    onDone: ({ id }) =>
      void navigate({
        to: "/projects/$project",
        params: { project: id },
        search: { tab: "people" },
      }),
  });
  return (
    <Ask
      title="New project"
      deed="Create"
      isPending={make.isPending}
      isReady={Boolean(name.trim())}
      error={make.error}
      onDo={() => make.run()}
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
    </Ask>
  );
}
