import { Button, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Endpoint } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";
import type { FactKind } from "./FactRow";
import { FolderFields } from "./FolderFields";
import { FLAG_LABELS, formatValue, formOf, parseValue } from "./factText";
import { type Folders, folderCorrections } from "./folders";

type EditorProps = { endpoint: Endpoint; fact: FactKind; value: unknown; onClose: () => void };

/** A correction of the site profile. The service rejects invalid values and says the expected form. */
export function FactEditor(props: EditorProps) {
  return props.fact.name === "folders" ? <FolderEditor {...props} /> : <TextEditor {...props} />;
}

function FolderEditor({ endpoint, fact, value, onClose }: EditorProps) {
  const [folders, setFolders] = useState((value ?? {}) as Folders);
  const probed = endpoint.profile.facts.folders?.value ?? {};
  return (
    <CorrectionForm
      endpoint={endpoint}
      fact={fact}
      correction={() => folderCorrections(folders, probed)}
      onClose={onClose}
    >
      <FolderFields folders={folders} onFolders={setFolders} />
    </CorrectionForm>
  );
}

function TextEditor({ endpoint, fact, value, onClose }: EditorProps) {
  const form = fact.name === "modules" ? "lines" : formOf(value);
  const [text, setText] = useState(() =>
    formatValue(value ?? (form === "lines" ? [] : null), form),
  );
  return (
    <CorrectionForm
      endpoint={endpoint}
      fact={fact}
      correction={() => parseValue(text, form)}
      onClose={onClose}
    >
      <Field
        fact={fact}
        isLong={form === "json" || form === "lines"}
        text={text}
        onText={setText}
      />
    </CorrectionForm>
  );
}

type CorrectionFormProps = Omit<EditorProps, "value"> & {
  correction: () => unknown;
  children: ReactNode;
};

function CorrectionForm({ endpoint, fact, correction, onClose, children }: CorrectionFormProps) {
  const save = useEndpointAction({
    call: async () =>
      endpointsApi.change(endpoint.name, { corrections: { [fact.name]: correction() } }),
    ownErrorDisplay: true,
    success: `${fact.label} corrected.`,
    onSuccess: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {children}
        {save.error && <ErrorAlert error={readableError(save.error)} />}
        <Group gap="xs">
          <Button size="xs" type="submit" loading={save.isPending}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type FieldProps = {
  fact: FactKind;
  isLong: boolean;
  text: string;
  onText: (text: string) => void;
};

function Field({ fact, isLong, text, onText }: FieldProps) {
  if (fact.name === "flags") return <Flags text={text} onText={onText} />;
  const common = {
    "aria-label": fact.label,
    value: text,
    "data-autofocus": true,
    styles: { input: { fontFamily: "var(--mantine-font-family-monospace)" } },
  };
  if (!isLong)
    return <TextInput {...common} onChange={(event) => onText(event.currentTarget.value)} />;
  return (
    <Textarea
      {...common}
      autosize
      minRows={2}
      maxRows={16}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}

const FLAGS = ["mem", "gres", "export", "account", "nodes", "time", "ntasks"];

/** Each batch system flag with what the site does with it. */
function Flags({ text, onText }: { text: string; onText: (text: string) => void }) {
  const now = (JSON.parse(text) ?? {}) as Record<string, string>;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
      {FLAGS.map((flag) => (
        <Select
          key={flag}
          size="xs"
          label={`--${flag}`}
          data={Object.entries(FLAG_LABELS).map(([value, label]) => ({ value, label }))}
          value={now[flag] ?? "takes"}
          allowDeselect={false}
          onChange={(answer) => onText(JSON.stringify({ ...now, [flag]: answer }))}
        />
      ))}
    </SimpleGrid>
  );
}

function readableError(error: Error): Error {
  if (!(error instanceof SyntaxError)) return error;
  return new Error(`Invalid JSON: ${error.message}`);
}
