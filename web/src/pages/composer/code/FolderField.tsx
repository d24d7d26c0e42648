import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { IconFolder, IconFolderUp } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type DragEvent, useRef, useState } from "react";
import { ProblemDetails } from "~/components/ErrorAlert";
import { withValue } from "~/jobs/spec/draft";
import { fromForm } from "~/jobs/work";
import { count, formatBytes } from "~/lib/format";
import classes from "../Composer.module.css";
import { useComposer } from "../state/context";
import { ExcludedFiles } from "./ExcludedFiles";
import { droppedFiles, folderName, notebooksOf, type PickedFile, pickedFiles } from "./folder";
import { uploadFolder } from "./upload";

/** A folder on this computer, chosen or dropped. */
export function FolderField() {
  const { draft } = useComposer();
  const upload = useUpload();
  const { code, codeName } = draft.work;
  if (upload.isPending) return <UploadProgress files={upload.variables} />;
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
      <ExcludedFiles paths={code?.left_out ?? []} />
    </Stack>
  );
}

function useUpload() {
  const { draft } = useComposer();
  const { project } = useSearch({ from: "/compose" });
  return useMutation({
    mutationFn: (files: PickedFile[]) => uploadFolder(files, project),
    onSuccess: (code, files) =>
      draft.change((work) =>
        fromForm(work, {
          code,
          codeName: folderName(files),
          notebooks: notebooksOf(files),
          spec: withValue(work.spec, "code", "."),
        }),
      ),
  });
}

function UploadProgress({ files }: { files: PickedFile[] }) {
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <Group gap="xs" role="status">
      <Loader size="xs" />
      <Text size="sm">
        Uploading {count(files.length, "file")}, {formatBytes(size)}…
      </Text>
    </Group>
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
