import { Button, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";
import { tagsQuery } from "~/tasks/tags";

/** Name, tags and note: what people write on their tasks. */
export function EditDetails({ task }: { task: Task }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPencil size={13} aria-hidden />}
        onClick={open}
      >
        {task.tags.length || task.note ? "Edit details" : "Add tags or a note"}
      </Button>
      {opened && <DetailsDialog task={task} onClose={close} />}
    </>
  );
}

function DetailsDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const queries = useQueryClient();
  const known = useQuery(tagsQuery).data?.items ?? [];
  const [name, setName] = useState(task.name);
  const [tags, setTags] = useState(task.tags);
  const [note, setNote] = useState(task.note);
  const save = useAction({
    call: () =>
      dataOf(
        api.PATCH("/api/v1/tasks/{task}", {
          params: { path: { task: task.id } },
          body: { name, tags, note, add_tags: [], remove_tags: [] },
        }),
      ),
    refresh: [keys.tasks, keys.overview],
    success: "Saved",
    onSuccess: (changed) => {
      queries.setQueryData(keys.task(task.id), changed);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Edit details"
      submitLabel="Save"
      isPending={save.isPending}
      isReady={Boolean(name.trim())}
      error={save.error}
      onSubmit={() => save.run()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TagsInput
        label="Tags"
        description="Press Enter after each. Use them to filter the list of tasks."
        data={known.map(({ tag }) => tag)}
        value={tags}
        onChange={setTags}
        acceptValueOnBlur
        data-autofocus
      />
      <Textarea
        label="Note"
        description="What you tried, what you saw, what to do next."
        autosize
        minRows={3}
        maxRows={12}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
