import { Alert, Radio, Select, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { FormDialog } from "~/components/FormDialog";
import { endpointsQuery } from "~/endpoints/queries";
import { type Image, imageName, imagesApi } from "~/images/api";
import { endpointsWith } from "~/images/imageText";
import { useImageAction } from "~/images/useImageAction";

type TransferMethod = Schemas["CopyRequest"]["how"];
const METHODS: { value: TransferMethod; label: string; description: string }[] = [
  {
    value: "auto",
    label: "Automatic",
    description: "Diamond picks the faster way and tells you which.",
  },
  {
    value: "move",
    label: "Copy the file",
    description: "Transfers the same file and verifies it on arrival.",
  },
  {
    value: "rebuild",
    label: "Rebuild",
    description: "Builds from the same recipe. Needed if the processor or container tool differs.",
  },
];

/** Transfers an image to another endpoint, and shows which method was used and why. */
export function TransferDialog({ image, onClose }: { image: Image; onClose: () => void }) {
  const { data } = useQuery(endpointsQuery);
  const current = endpointsWith(image);
  const others = (data?.items ?? [])
    .map((endpoint) => endpoint.name)
    .filter((name) => !current.includes(name));
  const [chosen, setChosen] = useState<string | null>(null);
  const [how, setHow] = useState<TransferMethod>("auto");
  const navigate = useNavigate();
  const endpoint = chosen ?? others[0] ?? "";
  const transfer = useImageAction({
    call: () => imagesApi.copy(image.id, { endpoint, how, account: "auto" }),
  });
  if (transfer.data) {
    const { build, words: text } = transfer.data;
    return (
      <FormDialog
        title={`${imageName(image)} to ${endpoint}`}
        submitLabel={build ? "View build" : "Done"}
        cancelLabel="Close"
        isPending={false}
        error={null}
        onSubmit={() => {
          onClose();
          if (build) void navigate({ to: "/build/$task", params: { task: build.id } });
        }}
        onClose={onClose}
      >
        <Alert
          color="blue"
          icon={<IconInfoCircle />}
          title={TITLES[transfer.data.how]}
          role="status"
        >
          <Text size="sm">{text.charAt(0).toUpperCase() + text.slice(1)}</Text>
        </Alert>
      </FormDialog>
    );
  }
  return (
    <FormDialog
      title={`Transfer ${imageName(image)} to another endpoint`}
      submitLabel="Transfer"
      isPending={transfer.isPending}
      isReady={Boolean(endpoint)}
      error={transfer.error}
      onSubmit={() => transfer.run()}
      onClose={onClose}
    >
      <Select
        label="Endpoint"
        description="Jobs transfer the image automatically when they need it. This does it in advance."
        data={others}
        value={endpoint || null}
        onChange={setChosen}
        placeholder={others.length ? undefined : "Already on all your endpoints"}
        allowDeselect={false}
      />
      <Radio.Group label="Method" value={how} onChange={(next) => setHow(next as TransferMethod)}>
        <Stack gap="xs" mt={6}>
          {METHODS.map((way) => (
            <Radio key={way.value} {...way} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}

const TITLES: Record<Schemas["CopyAnswer"]["how"], string> = {
  here: "Already available there",
  move: "The file is being transferred",
  rebuild: "The image is being built there",
};
