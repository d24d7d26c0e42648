import {
  Button,
  Group,
  Modal,
  NumberInput,
  ScrollArea,
  Select,
  Stack,
  Table,
  Text,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { endpointsQuery } from "~/endpoints/queries";
import { imagesApi } from "~/images/api";
import { useImageAction } from "~/images/useImageAction";
import { count, formatBytes } from "~/lib/format";

const KINDS: Record<string, string> = {
  image: "image",
  venv: "virtual environment",
  layer: "cached build step",
  base: "base image",
  unfinished: "unfinished build",
  "group-file": "file in the group's folder",
  cache: "downloads",
};

/** A preview first, then the deletion. */
export function PruneDialog({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(endpointsQuery);
  const endpoints = data?.items ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [days, setDays] = useState<string | number>(30);
  const endpoint =
    chosen ?? endpoints.find((endpoint) => endpoint.default)?.name ?? endpoints[0]?.name ?? "";
  const requestPrune = (dry_run: boolean) =>
    imagesApi.prune({ endpoint, unused_days: Number(days) || 0, dry_run });
  const previewAction = useImageAction({ call: () => requestPrune(true) });
  const prune = useImageAction({
    call: () => requestPrune(false),
    success: (pruned) => `Freed ${formatBytes(pruned.bytes)} on ${endpoint}`,
    onSuccess: onClose,
  });
  const error = previewAction.error ?? prune.error;
  return (
    <Modal opened onClose={onClose} title="Free up space" size="lg">
      <Stack gap="sm">
        <Text size="sm">
          Deletes what no task needs: older images without a name, and build caches. You see a
          preview first.
        </Text>
        <Group align="flex-end" gap="xs">
          <Select
            label="Endpoint"
            data={endpoints.map((endpoint) => endpoint.name)}
            value={endpoint || null}
            onChange={(name) => {
              setChosen(name);
              previewAction.reset();
            }}
            allowDeselect={false}
            w={190}
            data-autofocus
          />
          <NumberInput
            label="Unused for (days)"
            min={0}
            value={days}
            onChange={(value) => {
              setDays(value);
              previewAction.reset();
            }}
            w={150}
          />
          <Button
            variant="default"
            loading={previewAction.isPending}
            disabled={!endpoint}
            onClick={() => previewAction.run()}
          >
            Preview
          </Button>
        </Group>
        {error && <ErrorAlert error={error} />}
        {previewAction.data && (
          <PrunePreview
            preview={previewAction.data}
            isPending={prune.isPending}
            onPrune={() => prune.run()}
          />
        )}
      </Stack>
    </Modal>
  );
}

type PrunePreviewProps = { preview: Schemas["Pruned"]; isPending: boolean; onPrune: () => void };

function PrunePreview({ preview, isPending, onPrune }: PrunePreviewProps) {
  if (!preview.items.length) return <Text size="sm">Nothing to delete.</Text>;
  return (
    <Stack gap="sm">
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Item</Table.Th>
              <Table.Th>Reason</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.items.map((item) => (
              <Table.Tr key={`${item.kind} ${item.name}`}>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  {item.name}
                  <Text size="xs" c="dimmed">
                    {KINDS[item.kind] ?? item.kind}
                  </Text>
                </Table.Td>
                <Table.Td>{item.why}</Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                  {formatBytes(item.bytes)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        <Button color="red" loading={isPending} onClick={onPrune}>
          Delete {count(preview.items.length, "item")} ({formatBytes(preview.bytes)})
        </Button>
      </Group>
    </Stack>
  );
}
