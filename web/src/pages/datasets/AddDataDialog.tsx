import {
  Autocomplete,
  Checkbox,
  Collapse,
  SegmentedControl,
  Select,
  Stack,
  Textarea,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";
import { type AddData, addData } from "~/datasets/api";
import { endpointsApi } from "~/endpoints/api";
import { endpointsQuery } from "~/endpoints/queries";

const SOURCES = [
  { value: "path", label: "Files on an endpoint" },
  { value: "url", label: "A URL" },
];
const EMPTY: AddData = {
  name: "",
  endpoint: "",
  path: "",
  url: "",
  secret: "",
  server: "",
  sha256: "",
  unpack: false,
  project: "",
};

/** Registers files in place, or has an endpoint fetch a URL. */
export function AddDataDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [source, setSource] = useState("path");
  const [body, setBody] = useState(EMPTY);
  const add = useAction({
    call: () => addData(asked(body, source)),
    refresh: [keys.datasets],
    onSuccess: ({ dataset }) =>
      void navigate({ to: "/datasets/$dataset", params: { dataset }, search: {} }),
  });
  const set = (part: Partial<AddData>) => setBody((now) => ({ ...now, ...part }));
  const isReady = Boolean(body.name.trim() && (source === "path" ? body.path : body.url)?.trim());
  return (
    <FormDialog
      title="Add data"
      submitLabel="Add"
      size="lg"
      isPending={add.isPending}
      isReady={isReady}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Jobs use the data by this name. An existing name gets a new version."
        placeholder="era5"
        value={body.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        spellCheck={false}
        required
        data-autofocus
      />
      <SegmentedControl
        aria-label="Source"
        data={SOURCES}
        value={source}
        onChange={setSource}
        fullWidth
      />
      <EndpointField value={body.endpoint ?? ""} onChange={(endpoint) => set({ endpoint })} />
      {source === "path" ? (
        <TextInput
          label="Path"
          description="The files stay where they are. Nothing is moved or copied."
          placeholder="/scratch/era5"
          value={body.path}
          onChange={(event) => set({ path: event.currentTarget.value })}
          spellCheck={false}
          required
        />
      ) : (
        <UrlFields body={body} set={set} />
      )}
      <Textarea
        label="Description"
        autosize
        minRows={2}
        value={body.description ?? ""}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <TextInput
        label="Licence"
        placeholder="CC-BY-4.0"
        value={body.license ?? ""}
        onChange={(event) => set({ license: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

function EndpointField({
  value,
  onChange,
}: {
  value: string;
  onChange: (endpoint: string) => void;
}) {
  const { data } = useQuery(endpointsQuery);
  const names = (data?.items ?? []).map(({ name }) => name);
  return (
    <Select
      label="Endpoint"
      placeholder="Your default endpoint"
      data={names}
      value={value || null}
      onChange={(name) => onChange(name ?? "")}
      clearable
    />
  );
}

type UrlFieldsProps = { body: AddData; set: (part: Partial<AddData>) => void };

function UrlFields({ body, set }: UrlFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const endpoint = body.endpoint ?? "";
  const { data: secrets } = useQuery({
    queryKey: [...keys.endpoints, endpoint, "secrets"],
    queryFn: () => endpointsApi.secrets(endpoint),
    enabled: Boolean(isOpen && endpoint),
    retry: false,
  });
  const isWeb = /^https?:/.test(body.url ?? "");
  return (
    <>
      <TextInput
        label="URL"
        description="https://…, s3://BUCKET/PREFIX, git+https://…@COMMIT or hf://datasets/OWNER/NAME@REVISION. The endpoint fetches it."
        placeholder="https://example.org/table.csv"
        value={body.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
        spellCheck={false}
        required
      />
      <UnstyledButton
        fz="sm"
        c="var(--mantine-color-anchor)"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? "Fewer options" : "Secret, server, digest, archives"}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Stack gap="sm">
          <Autocomplete
            label="Secret"
            description="The name of a secret of the endpoint, if the URL needs a key."
            placeholder="HF_TOKEN"
            data={secrets?.items ?? []}
            value={body.secret ?? ""}
            onChange={(secret) => set({ secret })}
          />
          <TextInput
            label="Server"
            description="For s3:// and hf://, if it is not Amazon or the Hugging Face hub."
            placeholder="https://s3.example.org"
            value={body.server}
            onChange={(event) => set({ server: event.currentTarget.value })}
            spellCheck={false}
          />
          {isWeb && (
            <TextInput
              label="SHA-256"
              description="Optional. A file with another digest is rejected."
              value={body.sha256}
              onChange={(event) => set({ sha256: event.currentTarget.value.trim() })}
              spellCheck={false}
            />
          )}
          <Checkbox
            label="Unpack archives"
            checked={body.unpack}
            onChange={(event) => set({ unpack: event.currentTarget.checked })}
          />
        </Stack>
      </Collapse>
    </>
  );
}

function asked(body: AddData, source: string): AddData {
  const about = {
    name: body.name.trim(),
    endpoint: body.endpoint,
    project: body.project,
    description: body.description || undefined,
    license: body.license || undefined,
  };
  if (source === "path") return { ...EMPTY, ...about, path: body.path?.trim() };
  return { ...body, ...about, path: "", url: body.url?.trim() };
}
