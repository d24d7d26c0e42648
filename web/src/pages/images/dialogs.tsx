import { Select, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { askImages, type Image, imageName } from "~/api/images";
import { Ask } from "~/components/Ask";
import { AskName } from "~/components/AskName";
import { count } from "~/lib/format";
import { useAct } from "./useAct";
import { placesOf } from "./words";

type DialogProps = { image: Image; onClose: () => void };

export function Rename({ image, onClose }: DialogProps) {
  const [name, setName] = useState(image.name);
  const rename = useAct({
    by: () => askImages.rename(image.id, name.trim()),
    done: (changed) => `Renamed to ${changed.name}`,
    onDone: onClose,
  });
  return (
    <AskName
      title={`Rename ${imageName(image)}`}
      description="Running jobs keep the image. New jobs refer to it by the new name."
      name={name}
      onName={setName}
      deed={rename}
      onClose={onClose}
    />
  );
}

export function Push({ image, onClose }: DialogProps) {
  const [reference, setReference] = useState("");
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const push = useAct({
    by: () => askImages.push(image.id, { reference: reference.trim(), endpoint: endpoint ?? "" }),
    done: (move) => `Pushing ${imageName(image)} from ${move.endpoint}`,
    onDone: onClose,
  });
  return (
    <Ask
      title={`Push ${imageName(image)} to a registry`}
      deed="Push"
      isPending={push.isPending}
      isReady={Boolean(reference.trim())}
      error={push.error}
      onDo={() => push.run()}
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
        data={placesOf(image)}
        value={endpoint}
        onChange={setEndpoint}
        clearable
        clearButtonProps={{ "aria-label": "Any endpoint that has it" }}
      />
    </Ask>
  );
}

export function Delete({ image, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useAct({
    by: () => askImages.remove(image.id),
    done: () => `${imageName(image)} deleted`,
    onDone: () => void navigate({ to: "/images" }),
  });
  const places = placesOf(image);
  return (
    <Ask
      title={`Delete ${imageName(image)}?`}
      deed="Delete"
      leave="Cancel"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onDo={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">
        Its files are deleted
        {places.length ? ` from ${places.join(", ")}` : ""}.{" "}
        {image.uses > 0 &&
          `${count(image.uses, "task has", "tasks have")} used it; their history is kept. `}
        The recipe is kept with the build, so you can rebuild it.
      </Text>
    </Ask>
  );
}
