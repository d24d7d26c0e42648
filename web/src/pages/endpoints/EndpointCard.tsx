import { Badge, Box, Card, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Endpoint } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import { AvailabilityBar } from "~/endpoints/AvailabilityBar";
import { EndpointBadge } from "~/endpoints/EndpointBadge";
import {
  availabilityOf,
  balanceText,
  carrierText,
  factOf,
  folderText,
  gpuText,
  hostText,
  limitText,
  type Partition,
  type Profile,
  schedulerText,
  sortPartitions,
  toolTexts,
} from "~/endpoints/facts";
import { OfflineAlert, OutdatedAlert } from "~/endpoints/OfflineAlert";
import { count, formatBytes, MEGABYTE } from "~/lib/format";
import classes from "./EndpointCard.module.css";

const MAX_PARTITIONS = 4;

/** An endpoint at a glance: state, free resources, limits. */
export function EndpointCard({ endpoint }: { endpoint: Endpoint }) {
  const hasConnected = endpoint.last_seen != null;
  return (
    <Card component="article" aria-label={`Endpoint ${endpoint.name}`}>
      <Stack gap="sm">
        <CardHeader endpoint={endpoint} />
        {endpoint.state !== "online" && <OfflineAlert endpoint={endpoint} />}
        <OutdatedAlert endpoint={endpoint} />
        {hasConnected && <Partitions endpoint={endpoint} />}
        {hasConnected && <Facts endpoint={endpoint} />}
      </Stack>
    </Card>
  );
}

function CardHeader({ endpoint }: { endpoint: Endpoint }) {
  const facts = [
    endpoint.last_seen != null && schedulerText(endpoint.profile),
    hostText(endpoint),
    carrierText(endpoint),
  ];
  return (
    <Box>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Title order={2}>
            <Link to="/endpoints/$name" params={{ name: endpoint.name }} className={classes.name}>
              {endpoint.name}
            </Link>
          </Title>
          {endpoint.default && <Badge color="gray">default</Badge>}
        </Group>
        <EndpointBadge endpoint={endpoint} />
      </Group>
      <Text size="xs" c="dimmed" mt={2}>
        {facts.filter(Boolean).join(" · ")}
      </Text>
    </Box>
  );
}

function Partitions({ endpoint }: { endpoint: Endpoint }) {
  const all = sortPartitions(factOf(endpoint.profile, "partitions") ?? []);
  if (!all.length) return null;
  const more = all.length - MAX_PARTITIONS;
  return (
    <Box>
      {all.slice(0, MAX_PARTITIONS).map((partition) => (
        <PartitionLine key={partition.name} partition={partition} profile={endpoint.profile} />
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed" pt={6}>
          and {count(more, "more partition", "more partitions")}
        </Text>
      )}
    </Box>
  );
}

function PartitionLine({ partition, profile }: { partition: Partition; profile: Profile }) {
  const availability = availabilityOf(profile, partition);
  const gpus = gpuText(partition.gpus_per_node);
  return (
    <div className={classes.partition}>
      <Text size="sm" fw={550} truncate>
        {partition.name}
      </Text>
      <Text size="xs">{gpus ? `${gpus} per node` : "no GPUs"}</Text>
      <Text size="xs" c="dimmed">
        {limitText(partition)}
      </Text>
      {availability ? <AvailabilityBar {...availability} /> : <span />}
    </div>
  );
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  return (
    <dl className={classes.facts}>
      {factLines(endpoint.profile).map(({ label, value }) => (
        <FactLine key={label} label={label}>
          {value}
        </FactLine>
      ))}
      {endpoint.last_seen != null && (
        <FactLine label="Last seen">
          <TimeAgo at={endpoint.last_seen} />
        </FactLine>
      )}
    </dl>
  );
}

function FactLine({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function factLines(profile: Profile): { label: string; value: string }[] {
  const folders = factOf(profile, "folders");
  const lines = [
    { label: "Machine", value: machineText(profile) },
    { label: "Accounts", value: accountsText(profile) },
    { label: "Work folder", value: folderText(folders?.work) },
    { label: "Keep folder", value: folderText(folders?.keep) },
    { label: "Containers", value: toolTexts(factOf(profile, "runtimes")?.login).join(", ") },
  ];
  return lines.filter((line) => line.value);
}

function machineText(profile: Profile): string {
  const cores = factOf(profile, "cores");
  const memory = factOf(profile, "memory_mb");
  if (!cores) return "";
  const gpus = gpuText(factOf(profile, "gpus")) || "no GPUs";
  return [count(cores, "core"), memory && formatBytes(memory * MEGABYTE), gpus]
    .filter(Boolean)
    .join(", ");
}

function accountsText(profile: Profile): string {
  const accountText = (account: { name: string }) =>
    [account.name, balanceText(account) && `(${balanceText(account)})`].filter(Boolean).join(" ");
  return (factOf(profile, "accounts") ?? []).map(accountText).join(", ");
}
