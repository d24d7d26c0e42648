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
import { Failed } from "~/components/Answer";
import { Ago } from "~/components/Time";
import { bytes, count } from "~/lib/format";
import { ask, useDeed } from "../actions";

/** First what would go, then the deed, for exactly what was shown. */
export function CleanUp({ endpoint }: { endpoint: Endpoint }) {
  const [days, setDays] = useState<string | number>(30);
  const look = useDeed({
    by: () => ask.clean(endpoint.name, { older_than_days: Number(days) || 0, dry_run: true }),
    quiet: true,
  });
  const clean = useDeed({
    by: (tasks: string[]) => ask.clean(endpoint.name, { tasks, dry_run: false }),
    quiet: true,
    done: "Deleting run directories.",
    onDone: () => look.reset(),
  });
  const error = look.error ?? clean.error;
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
          <NumberInput
            label="Ended more than (days) ago"
            min={0}
            value={days}
            onChange={setDays}
            w={200}
          />
          <Button variant="default" loading={look.isPending} onClick={() => look.run()}>
            Preview
          </Button>
        </Group>
        {error && <Failed error={error} />}
        {look.data && (
          <Found
            found={look.data}
            cleaning={clean.isPending}
            onClean={() => clean.run(look.data.items.map((one) => one.task))}
          />
        )}
      </Stack>
    </Card>
  );
}

type FoundProps = { found: Schemas["Cleaned"]; cleaning: boolean; onClean: () => void };

function Found({ found, cleaning, onClean }: FoundProps) {
  if (!found.items.length) return <Text size="sm">No run directories are that old.</Text>;
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
            {found.items.map((one) => (
              <Table.Tr key={one.task}>
                <Table.Td>{one.name}</Table.Td>
                <Table.Td>{one.ended != null && <Ago at={one.ended} />}</Table.Td>
                <Table.Td ta="right">{bytes(one.bytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group>
        <Button color="red" loading={cleaning} onClick={onClean}>
          Delete {count(found.items.length, "run directory", "run directories")} (
          {bytes(found.bytes)})
        </Button>
      </Group>
    </Stack>
  );
}
