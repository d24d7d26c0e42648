import {
  Anchor,
  Button,
  Card,
  Code,
  Group,
  Progress,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Facts } from "~/components/Facts";
import { TimeAgo } from "~/components/Time";
import { useAction } from "~/components/useAction";
import {
  cancelAddition,
  checkDataset,
  type DataCheck,
  type Dataset,
  type DatasetVersion,
} from "~/datasets/api";
import { count, duration, formatBytes } from "~/lib/format";
import { meQuery } from "~/people/me";
import { PreviewSection } from "./PreviewSection";

type Work = {
  id: string;
  title: string;
  state: string;
  message: string;
  bytes: number;
  size: number;
  rate: number;
  seconds_left?: number | null;
  named: string[];
  canCancel: boolean;
};

export function OverviewTab({ dataset }: { dataset: Dataset }) {
  return (
    <Stack gap="md">
      {dataset.description && (
        <Text maw={760} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {dataset.description}
        </Text>
      )}
      {works(dataset).map((work) => (
        <WorkCard key={work.id} work={work} />
      ))}
      <PreviewSection dataset={dataset} />
      <Versions dataset={dataset} />
      <About dataset={dataset} />
    </Stack>
  );
}

function About({ dataset }: { dataset: Dataset }) {
  const limits = dataset.endpoints;
  return (
    <Facts
      title="About"
      facts={[
        ["Licence", dataset.license || "Not stated"],
        ["Copies", dataset.layout === "archive" ? "One archive file" : "Files"],
        ["Allowed endpoints", limits ? limits.join(", ") || "Chosen by its owner" : "All of them"],
      ]}
    />
  );
}

function works(dataset: Dataset): Work[] {
  const additions = (dataset.additions ?? []).map((one) => ({
    ...one,
    bytes: one.bytes ?? 0,
    size: one.size ?? 0,
    rate: one.rate ?? 0,
    named: one.named ?? [],
    title: `Adding ${one.source}`,
    canCancel: true,
  }));
  const transfers = (dataset.transfers ?? []).map((one) => ({
    ...one,
    named: [],
    title: `Copying ${one.version} to ${one.endpoint}`,
    canCancel: false,
  }));
  return [...additions, ...transfers];
}

function WorkCard({ work }: { work: Work }) {
  const failed = work.state === "failed";
  return (
    <Card component="section" aria-label={work.title} padding="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs" wrap="nowrap" align="flex-start" style={{ minWidth: 0 }}>
          {failed && <IconAlertTriangle size={18} color="var(--mantine-color-error)" aria-hidden />}
          <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
            {work.title}
          </Text>
        </Group>
        {work.canCancel && !failed && <CancelButton id={work.id} />}
      </Group>
      {failed ? <Failure work={work} /> : <HowFar work={work} />}
    </Card>
  );
}

function HowFar({ work }: { work: Work }) {
  if (!work.size) {
    return (
      <Text size="xs" c="dimmed">
        Waiting for the endpoint
      </Text>
    );
  }
  const percent = Math.floor((100 * work.bytes) / work.size);
  return (
    <>
      <Progress value={percent} aria-label={`${percent} percent`} my={6} />
      <Text size="xs" c="dimmed">
        {formatBytes(work.bytes)} of {formatBytes(work.size)}
        {work.rate ? `, ${formatBytes(work.rate)}/s` : ""}
        {work.seconds_left ? `, ${duration(work.seconds_left)} left` : ""}
      </Text>
    </>
  );
}

function Failure({ work }: { work: Work }) {
  return (
    <>
      <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: "anywhere" }}>
        {work.message}
      </Text>
      {work.named.length > 1 && (
        <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
          {work.named.slice(0, 10).join(" · ")}
          {work.named.length > 10 ? ` and ${work.named.length - 10} more` : ""}
        </Text>
      )}
    </>
  );
}

function CancelButton({ id }: { id: string }) {
  const cancel = useAction({ call: () => cancelAddition(id), refresh: [keys.datasets] });
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={cancel.isPending}
        onClick={() => cancel.run()}
      >
        Cancel
      </Button>
      {cancel.error && <ErrorAlert error={cancel.error} />}
    </>
  );
}

function Versions({ dataset }: { dataset: Dataset }) {
  if (!dataset.versions.length) return null;
  return (
    <Card padding={0} component="section" aria-label="Versions">
      <Title order={2} p="md" pb="xs">
        Versions
      </Title>
      <Table.ScrollContainer minWidth={640} type="native">
        <Table horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Content</Table.Th>
              <Table.Th>Source</Table.Th>
              <Table.Th>Digest</Table.Th>
              <Table.Th>Added</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {dataset.versions.map((version) => (
              <Table.Tr key={version.n}>
                <Table.Td fw={550}>{version.name}</Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
                  {count(version.files, "file")}, {formatBytes(version.bytes)}
                </Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  <Source version={version} />
                  {version.origin && version.n === dataset.newest?.n && (
                    <SourceCheck dataset={dataset} version={version.name} />
                  )}
                </Table.Td>
                <Table.Td>
                  <Code title={version.digest}>{version.digest.slice(0, 19)}</Code>
                </Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
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

/** Asks the endpoint whether the source has changed since. */
function SourceCheck({ dataset, version }: { dataset: Dataset; version: string }) {
  const { data: me } = useQuery(meQuery);
  const look = useAction({
    call: () => checkDataset(dataset.id, { version, source: true }),
    refresh: [],
  });
  if (me?.id !== dataset.owner) return null;
  const { data } = look;
  return (
    <Stack gap={4} mt={4} align="flex-start">
      <Button
        size="compact-xs"
        variant="default"
        loading={look.isPending}
        onClick={() => look.run()}
      >
        Check for changes
      </Button>
      {data && (
        <Text
          size="xs"
          role="status"
          c={data.state === "failed" ? "var(--mantine-color-error)" : undefined}
        >
          {data.state === "failed" ? data.message : changes(data)}
        </Text>
      )}
      {look.error && <ErrorAlert error={look.error} />}
    </Stack>
  );
}

function changes({ source_changed, changed }: DataCheck): string {
  if (!source_changed) return "The source is unchanged.";
  const named = (changed ?? []).slice(0, 5).join("; ");
  return `The source has changed${named ? `: ${named}` : ""}. Add it again to get a new version.`;
}

/** Where it came from, and what fixes that: a commit or an ETag. */
function Source({ version }: { version: DatasetVersion }) {
  const { origin, source } = version;
  if (!origin) return <Text size="sm">{source}</Text>;
  const isLink = /^https?:/.test(source);
  const revision = origin.revision.replaceAll('"', "");
  return (
    <>
      {isLink ? (
        <Anchor size="sm" href={source} target="_blank" rel="noreferrer">
          {source}
        </Anchor>
      ) : (
        <Text size="sm">{source}</Text>
      )}
      {revision && (
        <Text size="xs" c="dimmed" title={origin.revision}>
          {origin.kind === "git" || origin.kind === "hub" ? "Commit" : "Revision"}{" "}
          {revision.slice(0, 20)}
          {origin.modified ? `, ${origin.modified.slice(0, 29)}` : ""}
        </Text>
      )}
    </>
  );
}
