import { Button, Code, Group, List, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { count, formatBytes } from "~/lib/format";
import { type StoredCode, storageApi, storedCodeQuery } from "~/storage/api";

/** The code a person stores in the service, who needs it, and removing it. */
export function CodeSection() {
  const query = useQuery(storedCodeQuery);
  const [removing, setRemoving] = useState<StoredCode>();
  const removeUnused = useAction({
    call: storageApi.removeUnusedCode,
    refresh: [keys.storage],
    success: ({ bytes }) => `Unused code removed: ${formatBytes(bytes)} freed`,
    onError: showError,
  });
  return (
    <Section
      title="Code"
      about="Each row is a folder as you sent it. Folders share files, so removing one frees only what no other folder uses."
    >
      <QueryResult query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              You have not sent any code yet.
            </Text>
          ) : (
            <CodeTable items={items} onRemove={setRemoving} />
          )
        }
      </QueryResult>
      <Group mt="sm">
        <Button
          size="xs"
          variant="default"
          loading={removeUnused.isPending}
          onClick={() => removeUnused.run()}
        >
          Remove unused code
        </Button>
      </Group>
      {removing && <RemoveDialog code={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  );
}

type CodeTableProps = { items: StoredCode[]; onRemove: (code: StoredCode) => void };

function CodeTable({ items, onRemove }: CodeTableProps) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Code</Table.Th>
            <Table.Th>Size</Table.Th>
            <Table.Th>Frees</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Needed by</Table.Th>
            <Table.Th aria-label="Action" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((code) => (
            <Table.Tr key={code.digest}>
              <Table.Td>
                <Text size="sm">{code.name || "never submitted"}</Text>
                <Text size="xs" c="dimmed">
                  <Code>{short(code)}</Code> · {count(code.files, "file")}
                </Text>
              </Table.Td>
              <Table.Td>{formatBytes(code.bytes)}</Table.Td>
              <Table.Td>{formatBytes(code.frees_bytes)}</Table.Td>
              <Table.Td>
                <TimeAgo at={code.used} />
              </Table.Td>
              <Table.Td>
                {[...code.blocked_by, ...code.recorded_by].join(", ") || "nothing"}
              </Table.Td>
              <Table.Td>
                <Button
                  size="compact-xs"
                  variant="default"
                  disabled={code.blocked_by.length > 0}
                  aria-label={`Remove ${code.name} ${short(code)}`}
                  onClick={() => onRemove(code)}
                >
                  Remove
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function RemoveDialog({ code, onClose }: { code: StoredCode; onClose: () => void }) {
  const remove = useAction({
    call: () => storageApi.removeCode(code.digest),
    refresh: [keys.storage, keys.tasks],
    success: ({ bytes }) => `Code removed: ${formatBytes(bytes)} freed`,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Remove the code ${short(code)}?`}
      submitLabel="Remove"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">This frees {formatBytes(code.frees_bytes)} in the service.</Text>
      {code.recorded_by.length > 0 && (
        <>
          <Text size="sm">It is the code of:</Text>
          <List size="sm">
            {code.recorded_by.map((each) => (
              <List.Item key={each}>{each}</List.Item>
            ))}
          </List>
          <Text size="sm">
            They keep their records, with the digest of the code. They cannot be retried, reproduced
            or exported with their code until you send the same folder again.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

function short(code: StoredCode) {
  return code.digest.replace("sha256:", "").slice(0, 12);
}
