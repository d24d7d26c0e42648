import { ActionIcon, Menu, Select, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { IconDots, IconPencil, IconTrash, IconUsersPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { FormDialog } from "~/components/FormDialog";
import { MenuItem } from "~/components/MenuItem";
import { endpointsQuery } from "~/endpoints/queries";
import { type Model, modelsApi } from "~/models/api";
import { meQuery } from "~/people/me";
import { useModelAction } from "./useModelAction";

const ShareModel = lazy(() => import("./ShareModel"));

type Dialog = "share" | "edit" | "delete" | null;
type DialogProps = { model: Model; onClose: () => void };

/** Actions on a model. The service rejects what is not allowed. */
export function ModelMenu({ model }: { model: Model }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const { data: me } = useQuery(meQuery);
  const props = { model, onClose: () => setDialog(null) };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`Actions for ${model.name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItem icon={IconPencil} onClick={() => setDialog("edit")}>
            Edit…
          </MenuItem>
          {me?.mode === "shared" && (
            <MenuItem icon={IconUsersPlus} onClick={() => setDialog("share")}>
              Share…
            </MenuItem>
          )}
          <Menu.Divider />
          <MenuItem icon={IconTrash} danger onClick={() => setDialog("delete")}>
            Delete…
          </MenuItem>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{dialog === "share" && <ShareModel {...props} />}</Suspense>
      {dialog === "edit" && <EditModel {...props} />}
      {dialog === "delete" && <DeleteModel {...props} />}
    </>
  );
}

function EditModel({ model, onClose }: DialogProps) {
  const [name, setName] = useState(model.name);
  const [description, setDescription] = useState(model.description);
  const [license, setLicense] = useState(model.license);
  const [use, setUse] = useState(model.intended_use);
  const [tags, setTags] = useState(model.tags);
  const [keptOn, setKeptOn] = useState(model.kept_on);
  const { data: endpoints } = useQuery(endpointsQuery);
  const own = endpoints?.items ?? [];
  const names = own.map((endpoint) => endpoint.name);
  const buckets = own
    .filter((endpoint) => "s3" in Object(endpoint.profile.values.data))
    .map(({ name }) => ({ value: `s3:${name}`, label: `S3 storage of ${name}` }));
  const save = useModelAction({
    call: () =>
      modelsApi.change(model.id, {
        name,
        description,
        license,
        intended_use: use,
        tags,
        ...(keptOn !== model.kept_on && { kept_on: keptOn }),
      }),
    success: "Saved",
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Edit ${model.name}`}
      submitLabel="Save"
      size="lg"
      isPending={save.isPending}
      isReady={Boolean(name.trim())}
      error={save.error}
      onSubmit={() => save.run()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Specs and programs use this name."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <TextInput
        label="License"
        placeholder="apache-2.0"
        value={license}
        onChange={(event) => setLicense(event.currentTarget.value)}
      />
      <Textarea
        label="Intended use"
        description="What it should be used for, and what it should not."
        autosize
        minRows={2}
        value={use}
        onChange={(event) => setUse(event.currentTarget.value)}
      />
      <TagsInput label="Tags" value={tags} onChange={setTags} />
      <Select
        label="Copies are kept in"
        description="This service, an endpoint of yours whose files the site does not purge, or S3 storage."
        data={[{ value: "", label: "This service" }, ...names, ...buckets]}
        value={keptOn}
        onChange={(place) => setKeptOn(place ?? "")}
        allowDeselect={false}
      />
    </FormDialog>
  );
}

function DeleteModel({ model, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useModelAction({
    call: () => modelsApi.remove(model.id),
    success: `${model.name} deleted`,
    onSuccess: () => void navigate({ to: "/models" }),
  });
  return (
    <FormDialog
      title={`Delete ${model.name}?`}
      submitLabel="Delete"
      danger
      focusSubmit
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">
        Its name, versions and aliases are removed. The files stay where they are until they are
        cleaned up.
      </Text>
    </FormDialog>
  );
}
