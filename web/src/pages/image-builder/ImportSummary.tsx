import { Alert, Button, FileButton, Group, List, Stack, Text } from "@mantine/core";
import { IconFileCheck, IconFilePlus } from "@tabler/icons-react";
import { useState } from "react";
import { type AttachedFile, attachFile } from "./attachFile";
import { type BuilderState, useBuilder } from "./context";

/** The result of an import: what was skipped, and which files are still needed. */
export function ImportSummary() {
  const { draft } = useBuilder();
  const { imported } = draft.work;
  if (!imported) return null;
  const dismiss = () => draft.change((work) => ({ ...work, imported: null }));
  const { leftOut, copies } = imported;
  return (
    <Alert
      color={leftOut.length ? "yellow" : "teal"}
      icon={<IconFileCheck />}
      title={`${imported.name} imported`}
      withCloseButton
      closeButtonLabel="Close"
      onClose={dismiss}
      role="status"
    >
      <Stack gap="xs">
        {leftOut.length ? (
          <>
            <Text size="sm">The form is filled in, except for:</Text>
            <List size="sm" spacing={2}>
              {leftOut.map((note) => (
                <List.Item key={note}>{note}</List.Item>
              ))}
            </List>
          </>
        ) : (
          <Text size="sm">The form is filled in completely.</Text>
        )}
        {Object.entries(copies).map(([path, target]) => (
          <MissingFile key={path} path={path} target={target} />
        ))}
      </Stack>
    </Alert>
  );
}

/** A local file that the imported file refers to; it can be attached here. */
function MissingFile({ path, target }: { path: string; target: string }) {
  const { draft } = useBuilder();
  const [fault, setFault] = useState("");
  const attach = async (file: File | null) => {
    if (!file) return;
    try {
      const attached = await attachFile(file, target);
      draft.change((work) => withFile(work, path, attached));
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Group gap="xs">
      <Text size="sm">
        It copies <b>{path}</b> to {target}.
      </Text>
      <FileButton onChange={(file) => void attach(file)}>
        {(props) => (
          <Button
            {...props}
            size="compact-xs"
            variant="default"
            leftSection={<IconFilePlus size={14} aria-hidden />}
          >
            Choose file
          </Button>
        )}
      </FileButton>
      {fault && (
        <Text size="sm" c="red" role="alert">
          {fault}
        </Text>
      )}
    </Group>
  );
}

type Work = BuilderState["draft"]["work"];

function withFile(work: Work, path: string, file: AttachedFile): Work {
  const files = Array.isArray(work.spec.files) ? work.spec.files : [];
  const { [path]: _attached, ...copies } = work.imported?.copies ?? {};
  return {
    ...work,
    spec: { ...work.spec, files: [...files, file] },
    imported: work.imported && { ...work.imported, copies },
  };
}
