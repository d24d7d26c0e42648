import { Select, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "~/components/FormDialog";
import { RenameDialog } from "~/components/RenameDialog";
import { type Image, imageName, imagesApi } from "~/images/api";
import { endpointsWith } from "~/images/imageText";
import { useImageAction } from "~/images/useImageAction";
import { count } from "~/lib/format";

type DialogProps = { image: Image; onClose: () => void };

export function RenameImage({ image, onClose }: DialogProps) {
  const [name, setName] = useState(image.name);
  const rename = useImageAction({
    call: () => imagesApi.rename(image.id, name.trim()),
    success: (changed) => `Renamed to ${changed.name}`,
    onSuccess: onClose,
  });
  return (
    <RenameDialog
      title={`Rename ${imageName(image)}`}
      description="Running jobs keep the image. New jobs refer to it by the new name."
      name={name}
      onName={setName}
      action={rename}
      onClose={onClose}
    />
  );
}

export function PushImage({ image, onClose }: DialogProps) {
  const [reference, setReference] = useState("");
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const push = useImageAction({
    call: () => imagesApi.push(image.id, { reference: reference.trim(), endpoint: endpoint ?? "" }),
    success: (move) => `Pushing ${imageName(image)} from ${move.endpoint}`,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Push ${imageName(image)} to a registry`}
      submitLabel="Push"
      isPending={push.isPending}
      isReady={Boolean(reference.trim())}
      error={push.error}
      onSubmit={() => push.run()}
      onClose={onClose}
    >
      <TextInput
        label="Address"
        description="The endpoint signs in to the registry with the credentials of its container tool."
        placeholder="registry.example.org/lab/greeter:1"
        value={reference}
        onChange={(event) => setReference(event.currentTarget.value)}
        spellCheck={false}
        data-autofocus
      />
      <Select
        label="From endpoint"
        placeholder="Any endpoint that has it"
        data={endpointsWith(image)}
        value={endpoint}
        onChange={setEndpoint}
        clearable
        clearButtonProps={{ "aria-label": "Any endpoint that has it" }}
      />
    </FormDialog>
  );
}

export function DeleteImage({ image, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useImageAction({
    call: () => imagesApi.remove(image.id),
    success: () => `${imageName(image)} deleted`,
    onSuccess: () => void navigate({ to: "/images" }),
  });
  const places = endpointsWith(image);
  return (
    <FormDialog
      title={`Delete ${imageName(image)}?`}
      submitLabel="Delete"
      cancelLabel="Cancel"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">
        Its files are deleted
        {places.length ? ` from ${places.join(", ")}` : ""}.{" "}
        {image.uses > 0 &&
          `${count(image.uses, "task has", "tasks have")} used it; their history is kept. `}
        The recipe is kept with the build, so you can rebuild it.
      </Text>
    </FormDialog>
  );
}
