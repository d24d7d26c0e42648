import { Anchor, Badge, Card, Group, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { TimeAgo } from "~/components/Time";
import type { Dataset } from "~/datasets/api";
import { count, formatBytes } from "~/lib/format";

export function DatasetTable({ datasets }: { datasets: Dataset[] }) {
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  return narrow ? <Cards datasets={datasets} /> : <WideTable datasets={datasets} />;
}

/** On a phone, each dataset is a card. */
function Cards({ datasets }: { datasets: Dataset[] }) {
  return (
    <Stack gap="xs" role="list" aria-label="Datasets">
      {datasets.map((dataset) => (
        <Card key={dataset.id} padding="sm" role="listitem">
          <Stack gap={4}>
            <DatasetLink dataset={dataset} />
            {dataset.description && <Text size="sm">{dataset.description}</Text>}
            <Text size="xs" c="dimmed">
              {newestText(dataset)}, changed <TimeAgo at={dataset.updated} />
            </Text>
            <Places dataset={dataset} />
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}

function WideTable({ datasets }: { datasets: Dataset[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={760} type="native">
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Dataset</Table.Th>
              <Table.Th>Newest version</Table.Th>
              <Table.Th>Location</Table.Th>
              <Table.Th>Used by</Table.Th>
              <Table.Th>Changed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {datasets.map((dataset) => (
              <Table.Tr key={dataset.id}>
                <Table.Td>
                  <DatasetLink dataset={dataset} />
                  {dataset.description && (
                    <Text size="xs" c="dimmed" lineClamp={2}>
                      {dataset.description}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Text size="sm" c={hasFailed(dataset) ? "var(--mantine-color-error)" : undefined}>
                    {newestText(dataset)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Places dataset={dataset} />
                </Table.Td>
                <Table.Td>{count(dataset.uses ?? 0, "task")}</Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
                  <TimeAgo at={dataset.updated} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function DatasetLink({ dataset }: { dataset: Dataset }) {
  return (
    <Anchor
      size="sm"
      fw={550}
      style={{ overflowWrap: "anywhere" }}
      renderRoot={(props) => (
        <Link to="/datasets/$dataset" params={{ dataset: dataset.id }} {...props} />
      )}
    >
      {dataset.name}
    </Anchor>
  );
}

function Places({ dataset }: { dataset: Dataset }) {
  return (
    <Group gap={6}>
      {dataset.places.map((endpoint) => (
        <Badge key={endpoint} variant="light" tt="none">
          {endpoint}
        </Badge>
      ))}
      {!dataset.places.length && (
        <Text size="sm" c="dimmed">
          Not on your endpoints
        </Text>
      )}
    </Group>
  );
}

function newestText({ newest, additions }: Dataset): string {
  if (newest) return `${newest.name}, ${count(newest.files, "file")}, ${formatBytes(newest.bytes)}`;
  if (!additions?.length) return "None yet";
  return hasFailed({ additions }) ? "Adding it failed" : "Being added";
}

/** Whether the last try to add files failed. */
function hasFailed({ additions }: Pick<Dataset, "additions">): boolean {
  return additions?.[0]?.state === "failed";
}
