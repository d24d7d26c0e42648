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
import { askImages } from "~/api/images";
import { endpointsQuery } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { bytes, count } from "~/lib/format";
import { useAct } from "./useAct";

const KINDS: Record<string, string> = {
  image: "image",
  venv: "virtual environment",
  layer: "cached build step",
  base: "base image",
  unfinished: "unfinished build",
  "group-file": "file in the group's folder",
  cache: "downloads",
};

/** First what would go, then the deed. */
export function PruneDialog({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(endpointsQuery);
  const endpoints = data?.items ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [days, setDays] = useState<string | number>(30);
  const endpoint = chosen ?? endpoints.find((one) => one.default)?.name ?? endpoints[0]?.name ?? "";
  const ask = (dry_run: boolean) =>
    askImages.prune({ endpoint, unused_days: Number(days) || 0, dry_run });
  const look = useAct({ by: () => ask(true) });
  const prune = useAct({
    by: () => ask(false),
    done: (gone) => `Freed ${bytes(gone.bytes)} on ${endpoint}`,
    onDone: onClose,
  });
  const error = look.error ?? prune.error;
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
            data={endpoints.map((one) => one.name)}
            value={endpoint || null}
            onChange={(name) => {
              setChosen(name);
              look.reset();
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
              look.reset();
            }}
            w={150}
          />
          <Button
            variant="default"
            loading={look.isPending}
            disabled={!endpoint}
            onClick={() => look.run()}
          >
            Preview
          </Button>
        </Group>
        {error && <Failed error={error} />}
        {look.data && (
          <Found found={look.data} isPending={prune.isPending} onPrune={() => prune.run()} />
        )}
      </Stack>
    </Modal>
  );
}

type FoundProps = { found: Schemas["Pruned"]; isPending: boolean; onPrune: () => void };

function Found({ found, isPending, onPrune }: FoundProps) {
  if (!found.items.length) return <Text size="sm">Nothing to delete.</Text>;
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
            {found.items.map((one) => (
              <Table.Tr key={`${one.kind} ${one.name}`}>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  {one.name}
                  <Text size="xs" c="dimmed">
                    {KINDS[one.kind] ?? one.kind}
                  </Text>
                </Table.Td>
                <Table.Td>{one.why}</Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                  {bytes(one.bytes)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        <Button color="red" loading={isPending} onClick={onPrune}>
          Delete {count(found.items.length, "item")} ({bytes(found.bytes)})
        </Button>
      </Group>
    </Stack>
  );
}
