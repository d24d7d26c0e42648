import { ActionIcon, Button, Group, Menu, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "~/components/FormDialog";
import { useRemoveView, useSaveView, type View, type ViewPage, viewsQuery } from "./api";

type SavedViewsProps = {
  page: ViewPage;
  /** The search of the address, as it is now. */
  query: View["query"];
  project?: string;
  onOpen: (view: View) => void;
};

/** Views that people named: filters, order and columns. */
export function SavedViews({ page, query, project = "", onOpen }: SavedViewsProps) {
  const views = useQuery(viewsQuery(page)).data ?? [];
  const remove = useRemoveView();
  const [opened, { open, close }] = useDisclosure(false);
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
            <Group key={view.id} gap={4} wrap="nowrap">
              <Menu.Item onClick={() => onOpen(view)}>
                {view.name}
                {!view.is_own && ` (${view.project})`}
              </Menu.Item>
              {view.is_own && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Remove the view ${view.name}`}
                  onClick={() => remove.mutate(view.id)}
                >
                  <IconTrash size={14} />
                </ActionIcon>
              )}
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={open}>Save this view…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opened && <SaveView page={page} query={query} project={project} onClose={close} />}
    </>
  );
}

type SaveViewProps = Omit<SavedViewsProps, "onOpen"> & { onClose: () => void };

function SaveView({ page, query, project, onClose }: SaveViewProps) {
  const [name, setName] = useState("");
  const save = useSaveView(onClose);
  return (
    <FormDialog
      title="Save this view"
      submitLabel="Save"
      isPending={save.isPending}
      isReady={Boolean(name.trim())}
      error={save.error}
      onSubmit={() => save.mutate({ page, name: name.trim(), query, project: project ?? "" })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description={
          project
            ? "Filters, order and columns are saved for the members of the project."
            : "Filters, order and columns are saved. A view of the same name is replaced."
        }
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  );
}
