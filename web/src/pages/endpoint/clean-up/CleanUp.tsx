import {
  Button,
  Card,
  Group,
  NumberInput,
  ScrollArea,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { useState } from "react";
import type { Endpoint, Schemas } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { TimeAgo } from "~/components/Time";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";
import { count, formatBytes } from "~/lib/format";

/** A preview first, then deletes exactly what was shown. */
export function CleanUp({ endpoint }: { endpoint: Endpoint }) {
  const [days, setDays] = useState<string | number>(30);
  const previewAction = useEndpointAction({
    call: () =>
      endpointsApi.clean(endpoint.name, { older_than_days: Number(days) || 0, dry_run: true }),
    ownErrorDisplay: true,
  });
  const clean = useEndpointAction({
    call: (tasks: string[]) => endpointsApi.clean(endpoint.name, { tasks, dry_run: false }),
    ownErrorDisplay: true,
    success: "Deleting run directories.",
    onSuccess: () => previewAction.reset(),
  });
  const error = previewAction.error ?? clean.error;
  return (
    <Card component="section">
      <Stack gap="sm">
        <div>
          <Title order={2}>Delete now</Title>
          <Text size="sm" c="dimmed">
            Deletes run directories of ended tasks on {endpoint.name}, including files, checkpoints
            and results. Logs and metrics stay in Diamond. You see a preview first.
          </Text>
        </div>
        <Group align="flex-end" gap="xs">
          <NumberInput label="Minimum age (days)" min={0} value={days} onChange={setDays} w={200} />
          <Button
            variant="default"
            loading={previewAction.isPending}
            onClick={() => previewAction.run()}
          >
            Preview
          </Button>
        </Group>
        {error && <ErrorAlert error={error} />}
        {previewAction.data && (
          <CleanUpPreview
            preview={previewAction.data}
            cleaning={clean.isPending}
            onClean={() => clean.run(previewAction.data.items.map((item) => item.task))}
          />
        )}
      </Stack>
    </Card>
  );
}

type CleanUpPreviewProps = { preview: Schemas["Cleaned"]; cleaning: boolean; onClean: () => void };

function CleanUpPreview({ preview, cleaning, onClean }: CleanUpPreviewProps) {
  if (!preview.items.length) return <Text size="sm">No run directories are that old.</Text>;
  return (
    <Stack gap="sm">
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Task</Table.Th>
              <Table.Th>Ended</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.items.map((item) => (
              <Table.Tr key={item.task}>
                <Table.Td>{item.name}</Table.Td>
                <Table.Td>{item.ended != null && <TimeAgo at={item.ended} />}</Table.Td>
                <Table.Td ta="right">{formatBytes(item.bytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group>
        <Button color="red" loading={cleaning} onClick={onClean}>
          Delete {count(preview.items.length, "run directory", "run directories")} (
          {formatBytes(preview.bytes)})
        </Button>
      </Group>
    </Stack>
  );
}
