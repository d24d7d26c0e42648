import { Alert, Button, Code, Group, Loader, Progress, Stack, Text } from "@mantine/core";
import { IconFolder, IconFolderUp } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type DragEvent, useRef, useState } from "react";
import { ProblemDetails } from "~/components/ErrorAlert";
import { faultText } from "~/jobs/faults";
import { type SpecDraft, withValue } from "~/jobs/spec/draft";
import { fromForm, type Work } from "~/jobs/work";
import { count, formatBytes } from "~/lib/format";
import { NOT_STARTED, transferText, type UploadState } from "~/lib/transfer";
import classes from "../Composer.module.css";
import { useComposer } from "../state/context";
import { type Description, readDescription, SPEC_FILE } from "./description";
import { ExcludedFiles } from "./ExcludedFiles";
import { droppedFiles, folderName, notebooksOf, type PickedFile, pickedFiles } from "./folder";
import { uploadFolder } from "./upload";

/** A folder on this computer, chosen or dropped. */
export function FolderField() {
  const { draft } = useComposer();
  const [progress, setProgress] = useState<UploadState>(NOT_STARTED);
  const upload = useUpload(setProgress);
  const { code, codeName } = draft.work;
  if (upload.isPending) return <UploadProgress files={upload.variables} progress={progress} />;
  return (
    <Stack gap="xs">
      {code?.snapshot ? (
        <Group gap="xs">
          <IconFolder size={18} stroke={1.6} aria-hidden />
          <Text size="sm" fw={550}>
            {codeName}
          </Text>
          <Text size="sm" c="dimmed">
            {count(code.files ?? 0, "file")}, {formatBytes(code.bytes ?? 0)}
          </Text>
          <FolderButton label="Choose another folder" onFiles={upload.mutate} compact />
        </Group>
      ) : (
        <DropZone onFiles={upload.mutate} />
      )}
      {upload.error && (
        <Alert color="red" title={upload.error.message}>
          <ProblemDetails error={upload.error} />
        </Alert>
      )}
      {upload.data?.described && <Described {...upload.data.described} />}
      <ExcludedFiles paths={code?.left_out ?? []} />
    </Stack>
  );
}

/** The folder has a diamond.yaml: the form was filled in from it, can be, or the file has errors. */
function Described({ spec, faults }: Description) {
  const { draft } = useComposer();
  const { spec: now } = draft.work;
  if (!spec) {
    return (
      <Alert color="yellow" title={`${SPEC_FILE} could not be read`}>
        {faults.map((fault) => `Line ${fault.line ?? "?"}: ${faultText(fault)}`).join(" ")}
      </Alert>
    );
  }
  const described = withValue(spec, "code", ".");
  if (isEqual(now, described)) {
    return (
      <Text size="sm" role="status">
        Filled in from the folder's <Code>{SPEC_FILE}</Code>.
      </Text>
    );
  }
  return (
    <Group gap="xs">
      <Text size="sm">
        The folder has a <Code>{SPEC_FILE}</Code>.
      </Text>
      <Button
        size="compact-sm"
        variant="light"
        onClick={() => draft.change((work) => fromForm(work, { spec: described }))}
      >
        Fill in the form from it
      </Button>
    </Group>
  );
}

/** Nothing but where to run was chosen so far. */
function isUntouched({ spec }: Work): boolean {
  const located = ["on", "partition", "account"];
  return Object.entries(spec).every(
    ([name, value]) => located.includes(name) || value === undefined || value === "",
  );
}

function isEqual(one: SpecDraft, other: SpecDraft): boolean {
  const sorted = (spec: SpecDraft) =>
    JSON.stringify(
      Object.entries(spec)
        .filter(([, value]) => value !== undefined)
        .sort(),
    );
  return sorted(one) === sorted(other);
}

function useUpload(setProgress: (progress: UploadState) => void) {
  const { draft } = useComposer();
  const { project } = useSearch({ from: "/compose" });
  return useMutation({
    mutationFn: async (files: PickedFile[]) => {
      const described = await readDescription(files);
      const onProgress = (progress: UploadState) => setProgress(progress);
      return { described, code: await uploadFolder(files, project, onProgress) };
    },
    onSuccess: ({ code, described }, files) =>
      draft.change((work) =>
        fromForm(work, {
          code,
          codeName: folderName(files),
          notebooks: notebooksOf(files),
          spec: withValue(
            isUntouched(work) ? (described?.spec ?? work.spec) : work.spec,
            "code",
            ".",
          ),
        }),
      ),
  });
}

function UploadProgress({ files, progress }: { files: PickedFile[]; progress: UploadState }) {
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <Stack gap={4} role="status">
      <Group gap="xs">
        <Loader size="xs" />
        <Text size="sm">
          {progress.total
            ? transferText(progress)
            : `Preparing ${count(files.length, "file")}, ${formatBytes(size)}…`}
        </Text>
      </Group>
      {progress.total > 0 && (
        <Progress
          size="sm"
          value={(100 * progress.sent) / progress.total}
          aria-label="Upload progress"
        />
      )}
    </Stack>
  );
}

type Files = { onFiles: (files: PickedFile[]) => void };

function DropZone({ onFiles }: Files) {
  const [over, setOver] = useState(false);
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = await droppedFiles(event.dataTransfer.items);
    if (files.length) onFiles(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button does the same
    <div
      className={classes.drop}
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <Group justify="center" gap="sm">
        <IconFolderUp size={20} stroke={1.5} aria-hidden />
        <Text size="sm">Drop a folder here, or</Text>
        <FolderButton label="Choose folder" onFiles={onFiles} />
      </Group>
    </div>
  );
}

function FolderButton({ label, onFiles, compact }: Files & { label: string; compact?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        className={classes.hidden}
        tabIndex={-1}
        aria-label="Code folder"
        {...{ webkitdirectory: "" }}
        onChange={(event) => {
          const files = pickedFiles(event.currentTarget.files);
          event.currentTarget.value = "";
          if (files.length) onFiles(files);
        }}
      />
      <Button
        size={compact ? "compact-sm" : "xs"}
        variant={compact ? "subtle" : "default"}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
    </>
  );
}
