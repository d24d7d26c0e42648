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
    label: "Whichever is faster",
    description: "Diamond decides, and says which way it took and why.",
  },
  { value: "move", label: "Move the file", description: "The same file, verified on arrival." },
  {
    value: "rebuild",
    label: "Build it there",
    description: "From the same recipe; needed where the processor or the container tool differ.",
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
        deed={build ? "Watch the build" : "Good"}
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
      title={`Bring ${imageName(image)} to another endpoint`}
      deed="Bring it"
      isPending={bring.isPending}
      isReady={Boolean(endpoint)}
      error={bring.error}
      onDo={() => bring.run()}
      onClose={onClose}
    >
      <Select
        label="Endpoint"
        description="A job that asks for the image elsewhere brings it there by itself; this does it beforehand."
        data={others}
        value={endpoint || null}
        onChange={setChosen}
        placeholder={others.length ? undefined : "It is on all your endpoints"}
        allowDeselect={false}
      />
      <Radio.Group label="How" value={how} onChange={(next) => setHow(next as How)}>
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
  here: "It is there already",
  move: "Its file is being moved",
  rebuild: "It is being built there",
};
