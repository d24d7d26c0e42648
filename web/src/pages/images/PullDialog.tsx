import { Select, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "~/components/FormDialog";
import { showSuccess } from "~/components/toasts";
import { endpointsQuery } from "~/endpoints/queries";
import { imagesApi } from "~/images/api";
import { useImageAction } from "~/images/useImageAction";

export function PullDialog({ onClose }: { onClose: () => void }) {
  const [reference, setReference] = useState("");
  const [name, setName] = useState("");
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const navigate = useNavigate();
  const { data } = useQuery(endpointsQuery);
  const pull = useImageAction({
    call: () =>
      imagesApi.pull({
        reference: reference.trim(),
        name: name.trim(),
        endpoint: endpoint ?? "auto",
      }),
    onSuccess: ({ build, image, move }) => {
      if (build) return void navigate({ to: "/build/$task", params: { task: build.task.id } });
      if (image) return void navigate({ to: "/images/$image", params: { image: image.id } });
      if (move)
        showSuccess(`Pulling to ${move.endpoint}. The image is listed once it has arrived.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Pull an image from a registry"
      submitLabel="Pull"
      isPending={pull.isPending}
      isReady={Boolean(reference.trim())}
      error={pull.error}
      onSubmit={() => pull.run()}
      onClose={onClose}
    >
      <Text size="sm">
        oras:// images are pulled unchanged; docker:// images are converted to the endpoint's
        format.
      </Text>
      <TextInput
        label="Address"
        placeholder="oras://registry.example.org/lab/greeter:1"
        value={reference}
        onChange={(event) => setReference(event.currentTarget.value)}
        spellCheck={false}
        data-autofocus
      />
      <TextInput
        label="Name"
        placeholder="same as in the registry"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Endpoint"
        placeholder="Your default"
        data={(data?.items ?? []).map((endpoint) => endpoint.name)}
        value={endpoint}
        onChange={setEndpoint}
        clearable
        clearButtonProps={{ "aria-label": "Your default endpoint" }}
      />
    </FormDialog>
  );
}
