import { Progress, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CodeText } from "~/components/CodeText";
import { FormDialog } from "~/components/FormDialog";
import { endpointsQuery } from "~/endpoints/queries";
import { formatBytes } from "~/lib/format";
import { modelsApi, pushQuery } from "~/models/api";
import { useModelAction } from "../model/useModelAction";

/** A folder of an endpoint becomes a version. A browser cannot read folders of this computer: the command does. */
export default function PushDialog({ onClose }: { onClose: () => void }) {
  const { data: endpoints } = useQuery(endpointsQuery);
  const names = endpoints?.items.map((endpoint) => endpoint.name) ?? [];
  const [name, setName] = useState("");
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const [path, setPath] = useState("");
  const [push, setPush] = useState("");
  const on = endpoint ?? names[0] ?? "";
  const start = useModelAction({
    call: () => modelsApi.push(name.trim(), { endpoint: on, path: path.trim() }),
    onSuccess: ({ id }) => setPush(id),
  });
  return (
    <FormDialog
      title="Push a model"
      submitLabel="Push"
      size="lg"
      isPending={start.isPending || Boolean(push)}
      isReady={Boolean(name.trim() && on && path.trim())}
      error={start.error}
      onSubmit={() => start.run()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="A new name makes a new model; a known one gets another version."
        placeholder="digits"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        spellCheck={false}
        data-autofocus
      />
      <Select
        label="Endpoint"
        description="The machine that has the folder."
        data={names}
        value={on || null}
        onChange={setEndpoint}
        nothingFoundMessage="No endpoints"
      />
      <TextInput
        label="Folder"
        description="The full path there. It is read in place."
        placeholder="/project/models/digits"
        value={path}
        onChange={(event) => setPath(event.currentTarget.value)}
        spellCheck={false}
      />
      {push && <PushProgress push={push} onClose={onClose} />}
      <Text size="sm" c="dimmed">
        For a folder of your own computer:
      </Text>
      <CodeText label="Command" text={`diamond model push ${name || "NAME"} FOLDER`} short />
    </FormDialog>
  );
}

function PushProgress({ push, onClose }: { push: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { data } = useQuery(pushQuery(push));
  if (!data) return null;
  if (data.state === "done") {
    onClose();
    void navigate({ to: "/models/$model", params: { model: data.model } });
    return null;
  }
  const part = data.size ? (100 * data.bytes) / data.size : 0;
  return (
    <Stack gap={4} role="status">
      <Text size="sm" c={data.state === "failed" ? "red" : undefined}>
        {data.message || `Reading: ${formatBytes(data.bytes)} of ${formatBytes(data.size)}`}
      </Text>
      <Progress value={part} aria-label="Files read" />
    </Stack>
  );
}
