import { Alert, Radio, Select, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { askImages, type Image, imageName } from "~/api/images";
import { endpointsQuery } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { useAct } from "./useAct";
import { placesOf } from "./words";

type How = Schemas["CopyRequest"]["how"];
const WAYS: { value: How; label: string; description: string }[] = [
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

/** Bring an image to another endpoint. Afterwards it says which way was taken, and why. */
export function Bring({ image, onClose }: { image: Image; onClose: () => void }) {
  const { data } = useQuery(endpointsQuery);
  const there = placesOf(image);
  const others = (data?.items ?? []).map((one) => one.name).filter((one) => !there.includes(one));
  const [chosen, setChosen] = useState<string | null>(null);
  const [how, setHow] = useState<How>("auto");
  const navigate = useNavigate();
  const endpoint = chosen ?? others[0] ?? "";
  const bring = useAct({ by: () => askImages.copy(image.id, { endpoint, how, account: "auto" }) });
  if (bring.data) {
    const { build, words } = bring.data;
    return (
      <Ask
        title={`${imageName(image)} to ${endpoint}`}
        deed={build ? "View build" : "Done"}
        leave="Close"
        isPending={false}
        error={null}
        onDo={() => {
          onClose();
          if (build) void navigate({ to: "/build/$task", params: { task: build.id } });
        }}
        onClose={onClose}
      >
        <Alert color="blue" icon={<IconInfoCircle />} title={TITLES[bring.data.how]} role="status">
          <Text size="sm">{words.charAt(0).toUpperCase() + words.slice(1)}</Text>
        </Alert>
      </Ask>
    );
  }
  return (
    <Ask
      title={`Transfer ${imageName(image)} to another endpoint`}
      deed="Transfer"
      isPending={bring.isPending}
      isReady={Boolean(endpoint)}
      error={bring.error}
      onDo={() => bring.run()}
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
      <Radio.Group label="Method" value={how} onChange={(next) => setHow(next as How)}>
        <Stack gap="xs" mt={6}>
          {WAYS.map((way) => (
            <Radio key={way.value} {...way} />
          ))}
        </Stack>
      </Radio.Group>
    </Ask>
  );
}

const TITLES: Record<Schemas["CopyAnswer"]["how"], string> = {
  here: "Already available there",
  move: "The file is being transferred",
  rebuild: "The image is being built there",
};
