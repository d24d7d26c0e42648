import { Card, Code, Progress, Stack, Table, Text, Title } from "@mantine/core";
import { TimeAgo } from "~/components/Time";
import type { Dataset } from "~/datasets/api";
import { count, duration, formatBytes } from "~/lib/format";

type Work = {
  id: string;
  title: string;
  state: string;
  message: string;
  bytes: number;
  size: number;
  rate: number;
  seconds_left?: number | null;
};

export function OverviewTab({ dataset }: { dataset: Dataset }) {
  return (
    <Stack gap="md">
      {dataset.description && (
        <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {dataset.description}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Licence: {dataset.license || "not stated"}. Layout: {dataset.layout}.{" "}
        {dataset.endpoints
          ? `May lie only on: ${dataset.endpoints.join(", ") || "endpoints its owner lists"}.`
          : "May lie on any endpoint."}
      </Text>
      {works(dataset).map((work) => (
        <WorkCard key={work.id} work={work} />
      ))}
      <Versions dataset={dataset} />
    </Stack>
  );
}

function works(dataset: Dataset): Work[] {
  const additions = (dataset.additions ?? []).map((one) => ({
    ...one,
    bytes: one.bytes ?? 0,
    size: one.size ?? 0,
    rate: one.rate ?? 0,
    title: `Adding ${one.source}`,
  }));
  const transfers = (dataset.transfers ?? []).map((one) => ({
    ...one,
    title: `${one.version} to ${one.endpoint}`,
  }));
  return [...additions, ...transfers];
}

function WorkCard({ work }: { work: Work }) {
  const percent = work.size ? Math.floor((100 * work.bytes) / work.size) : 0;
  const failed = work.state === "failed";
  return (
    <Card component="section" aria-label={work.title} padding="sm">
      <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
        {work.title}
      </Text>
      {failed ? (
        <Text size="sm" c="red">
          {work.message}
        </Text>
      ) : (
        <>
          <Progress value={percent} aria-label={`${percent} percent`} my={6} />
          <Text size="xs" c="dimmed">
            {formatBytes(work.bytes)} of {formatBytes(work.size)}
            {work.rate ? `, ${formatBytes(work.rate)}/s` : ""}
            {work.seconds_left != null ? `, ${duration(work.seconds_left)} left` : ""}
          </Text>
        </>
      )}
    </Card>
  );
}

function Versions({ dataset }: { dataset: Dataset }) {
  if (!dataset.versions.length) return null;
  return (
    <Card padding={0} component="section" aria-label="Versions">
      <Title order={2} p="md">
        Versions
      </Title>
      <Table.ScrollContainer minWidth={640}>
        <Table horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Content</Table.Th>
              <Table.Th>Digest</Table.Th>
              <Table.Th>Source</Table.Th>
              <Table.Th>Added</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {dataset.versions.map((version) => (
              <Table.Tr key={version.n}>
                <Table.Td>{version.name}</Table.Td>
                <Table.Td>
                  {count(version.files, "file")}, {formatBytes(version.bytes)}
                </Table.Td>
                <Table.Td>
                  <Code>{version.digest.slice(0, 19)}</Code>
                </Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{version.source}</Table.Td>
                <Table.Td>
                  <TimeAgo at={version.created} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
