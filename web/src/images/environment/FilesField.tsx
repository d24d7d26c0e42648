import {
  ActionIcon,
  Button,
  FileButton,
  Group,
  Input,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconFileText, IconPlus, IconTrash } from "@tabler/icons-react";
import { isMapping } from "~/jobs/spec/draft";
import { showValue } from "~/jobs/spec/values";
import { withoutAt, withReplaced } from "~/lib/lists";
import { useEnvironmentField } from "./context";
import { ENVIRONMENT_LABELS } from "./labels";

type EnvironmentFile = { to: string; text?: string; digest?: string; mode?: number };

/** Small text files that are copied into the image before its commands run. */
export function FilesField() {
  const field = useEnvironmentField("files");
  const files = filesOf(field.value);
  return (
    <Input.Wrapper
      label={ENVIRONMENT_LABELS.files}
      labelElement="div"
      description="Copied into the image before the commands run: settings, a script, a small table."
      inputWrapperOrder={["label", "description", "input", "error"]}
      error={field.fault}
      id={field.id}
      role="group"
      aria-label={ENVIRONMENT_LABELS.files}
      tabIndex={-1}
    >
      <Stack gap="sm" mt={6}>
        {files.map((file, at) => (
          <FileInputs
            // biome-ignore lint/suspicious/noArrayIndexKey: a file is its place
            key={at}
            at={at + 1}
            file={file}
            onChange={(changed) => field.set(withReplaced(files, at, changed))}
            onRemove={() => field.set(withoutAt(files, at))}
            onBlur={field.touch}
          />
        ))}
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => field.set([...files, { to: "", text: "" }])}
          >
            Add file
          </Button>
          <FileButton onChange={(file) => void readInto(file, files, field.set)}>
            {(props) => (
              <Button
                {...props}
                size="compact-sm"
                variant="subtle"
                leftSection={<IconFileText size={14} aria-hidden />}
              >
                Choose from this computer
              </Button>
            )}
          </FileButton>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

async function readInto(
  file: File | null,
  files: EnvironmentFile[],
  set: (files: EnvironmentFile[]) => void,
): Promise<void> {
  if (file) set([...files, { to: `/opt/${file.name}`, text: await file.text() }]);
}

type FileInputsProps = {
  at: number;
  file: EnvironmentFile;
  onChange: (file: EnvironmentFile) => void;
  onRemove: () => void;
  onBlur: () => void;
};

function FileInputs({ at, file, onChange, onRemove, onBlur }: FileInputsProps) {
  return (
    <Stack gap={4}>
      <Group gap={6} wrap="nowrap">
        <TextInput
          flex={1}
          aria-label={`Path of file ${at} in the image`}
          placeholder="/opt/settings.ini"
          value={file.to}
          onChange={(event) => onChange({ ...file, to: event.currentTarget.value })}
          onBlur={onBlur}
          spellCheck={false}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={34}
          onClick={onRemove}
          aria-label={`Remove file ${at}`}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      {!file.digest && (
        <Textarea
          autosize
          minRows={2}
          maxRows={10}
          aria-label={`Content of file ${at}`}
          value={file.text ?? ""}
          onChange={(event) => onChange({ ...file, text: event.currentTarget.value })}
          onBlur={onBlur}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
      )}
    </Stack>
  );
}

function filesOf(value: unknown): EnvironmentFile[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isMapping).map((file) => ({ ...file, to: showValue(file.to) }));
}
