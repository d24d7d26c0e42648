import { ActionIcon, Button, Group, Menu, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "~/components/FormDialog";
import { preferencesQuery, useSavePreferences } from "~/people/preferences";
import { tasksSearch } from "./search";

/** Views that people named: filters, order and columns. */
export function SavedViews() {
  const views = useQuery(preferencesQuery).data?.task_views ?? [];
  const save = useSavePreferences();
  const [opened, { open, close }] = useDisclosure(false);
  const remove = (name: string) =>
    save.mutate({ task_views: views.filter((view) => view.name !== name) });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconBookmark size={15} aria-hidden />}
            fw={500}
            px="sm"
          >
            Views{views.length > 0 && ` (${views.length})`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown miw={220}>
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap">
              <Menu.Item
                renderRoot={(props) => <Link to="/tasks" search={read(view.search)} {...props} />}
              >
                {view.name}
              </Menu.Item>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => remove(view.name)}
              >
                <IconTrash size={14} />
              </ActionIcon>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={open}>Save this view…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opened && <SaveView onClose={close} />}
    </>
  );
}

function SaveView({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const search = useRouterState({ select: (state) => state.location.searchStr });
  const views = useQuery(preferencesQuery).data?.task_views ?? [];
  const save = useSavePreferences(onClose);
  const others = views.filter((view) => view.name !== name.trim());
  return (
    <FormDialog
      title="Save this view"
      submitLabel="Save"
      isPending={save.isPending}
      isReady={Boolean(name.trim())}
      error={save.error}
      onSubmit={() => save.mutate({ task_views: [...others, { name: name.trim(), search }] })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Filters, order and columns are saved. A view of the same name is replaced."
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  );
}

function read(search: string) {
  return tasksSearch(Object.fromEntries(new URLSearchParams(search)));
}
