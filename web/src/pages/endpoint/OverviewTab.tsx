import { Badge, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconServer2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Endpoint } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { TimeAgo } from "~/components/Time";
import { AvailabilityBar } from "~/endpoints/AvailabilityBar";
import classes from "~/endpoints/Columns.module.css";
import {
  availabilityOf,
  balanceText,
  FOLDER_LABELS,
  factOf,
  folderText,
  gpuText,
  type Partition,
  type Profile,
  sortPartitions,
  toolTexts,
} from "~/endpoints/facts";
import { count, duration, formatBytes, MEGABYTE } from "~/lib/format";

/** What a machine offers and allows. */
export function OverviewTab({ endpoint }: { endpoint: Endpoint }) {
  const { profile } = endpoint;
  if (profile.probed_at == null) return <NotProbedYet />;
  return (
    <Stack gap="md">
      <Partitions profile={profile} />
      <div className={classes.columns}>
        <Machine profile={profile} />
        <Accounts profile={profile} />
        <Folders profile={profile} />
        <Software endpoint={endpoint} />
      </div>
    </Stack>
  );
}

function NotProbedYet() {
  return (
    <EmptyState icon={IconServer2} title="Not probed yet">
      Once connected, the agent reports what the machine offers: partitions, GPUs, limits, accounts
      and folders.
    </EmptyState>
  );
}

function OverviewCard({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <Card component="section">
      <Title order={2} mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}

function Partitions({ profile }: { profile: Profile }) {
  const partitions = sortPartitions(factOf(profile, "partitions") ?? []);
  if (!partitions.length) return null;
  const freeAt = profile.facts.free?.at;
  return (
    <OverviewCard title="Partitions">
      <Stack gap="sm" hiddenFrom="sm">
        {partitions.map((partition) => (
          <PartitionBlock key={partition.name} partition={partition} profile={profile} />
        ))}
      </Stack>
      <Table.ScrollContainer
        minWidth={720}
        visibleFrom="sm"
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>GPUs per node</Table.Th>
              <Table.Th>Free now {freeAt != null && <FreeAge at={freeAt} />}</Table.Th>
              <Table.Th>Per node</Table.Th>
              <Table.Th>Time limit</Table.Th>
              <Table.Th>Max. nodes per job</Table.Th>
              <Table.Th>Accounts</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {partitions.map((partition) => (
              <PartitionRow key={partition.name} partition={partition} profile={profile} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </OverviewCard>
  );
}

function FreeAge({ at }: { at: number }) {
  return (
    <Text span size="xs" c="dimmed" fw={400}>
      (<TimeAgo at={at} />)
    </Text>
  );
}

/** On a phone: the same facts, one below the other. */
function PartitionBlock({ partition, profile }: { partition: Partition; profile: Profile }) {
  const availability = availabilityOf(profile, partition);
  const facts = [
    `${gpuText(partition.gpus_per_node) || "no GPUs"} per node`,
    nodeText(partition),
    partition.max_minutes && `at most ${duration(partition.max_minutes * 60)}`,
    partition.max_nodes && `at most ${count(partition.max_nodes, "node")} per job`,
    partition.accounts?.length && `accounts: ${partition.accounts.join(", ")}`,
  ];
  return (
    <div>
      <PartitionName partition={partition} />
      {availability && <AvailabilityBar {...availability} />}
      <Text size="xs" c="dimmed" mt={2}>
        {facts.filter(Boolean).join(" · ")}
      </Text>
    </div>
  );
}

function PartitionName({ partition }: { partition: Partition }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" fw={550}>
        {partition.name}
      </Text>
      {partition.default && (
        <Badge color="gray" style={{ flexShrink: 0 }}>
          default
        </Badge>
      )}
    </Group>
  );
}

function PartitionRow({ partition, profile }: { partition: Partition; profile: Profile }) {
  const availability = availabilityOf(profile, partition);
  const waiting = factOf(profile, "free")?.[partition.name]?.pending;
  return (
    <Table.Tr>
      <Table.Td>
        <PartitionName partition={partition} />
      </Table.Td>
      <Table.Td>{gpuText(partition.gpus_per_node) || "none"}</Table.Td>
      <Table.Td>
        {availability ? <AvailabilityBar {...availability} /> : "unknown"}
        {waiting ? (
          <Text size="xs" c="dimmed">
            {count(waiting, "job waiting", "jobs waiting")}
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td>{nodeText(partition)}</Table.Td>
      <Table.Td>{partition.max_minutes ? duration(partition.max_minutes * 60) : "none"}</Table.Td>
      <Table.Td>{partition.max_nodes ?? partition.nodes_total ?? "unknown"}</Table.Td>
      <Table.Td>{partition.accounts ? partition.accounts.join(", ") || "none" : "any"}</Table.Td>
    </Table.Tr>
  );
}

function nodeText(partition: Partition): string {
  const { cpus_per_node: cpus, memory_mb_per_node: memory } = partition;
  const facts = [cpus && count(cpus, "CPU"), memory && formatBytes(memory * MEGABYTE)];
  const whole = partition.whole_nodes ? ["whole nodes only"] : [];
  return [...facts.filter(Boolean), ...whole].join(", ") || "unknown";
}

function Machine({ profile }: { profile: Profile }) {
  const cores = factOf(profile, "cores");
  const memory = factOf(profile, "memory_mb");
  if (!cores) return null;
  return (
    <OverviewCard title="Machine">
      <FactLines
        lines={[
          ["Processor", count(cores, "core")],
          ["Memory", memory ? formatBytes(memory * MEGABYTE) : ""],
          ["GPUs", gpuText(factOf(profile, "gpus")) || "none"],
        ]}
      />
    </OverviewCard>
  );
}

function Accounts({ profile }: { profile: Profile }) {
  const accounts = factOf(profile, "accounts") ?? [];
  if (!accounts.length) return null;
  return (
    <OverviewCard title="Accounts">
      <FactLines
        lines={accounts.map((account) => [
          account.default ? `${account.name} (default)` : account.name,
          [
            balanceText(account),
            account.submit_limit != null && `at most ${count(account.submit_limit, "job")} queued`,
            account.partitions && `only ${account.partitions.join(", ")}`,
          ]
            .filter(Boolean)
            .join(", ") || "no known limit",
        ])}
      />
    </OverviewCard>
  );
}

function Folders({ profile }: { profile: Profile }) {
  const folders = Object.entries(factOf(profile, "folders") ?? {});
  return (
    <OverviewCard title="Folders">
      <Stack gap="xs">
        {folders.map(([name, folder]) => (
          <div key={name}>
            <Text size="sm" fw={550}>
              {FOLDER_LABELS[name] ?? name}
            </Text>
            <Text size="sm">{folderText(folder) || "free space unknown"}</Text>
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {folder.path}
            </Text>
          </div>
        ))}
      </Stack>
    </OverviewCard>
  );
}

function Software({ endpoint }: { endpoint: Endpoint }) {
  const { profile } = endpoint;
  const tools = factOf(profile, "runtimes");
  const internet = factOf(profile, "internet");
  return (
    <OverviewCard title="Software">
      <FactLines
        lines={[
          ["Containers", toolTexts(tools?.login).join(", ") || "none found"],
          ["On compute nodes", tools?.compute ? toolTexts(tools.compute).join(", ") : ""],
          ["Internet", internetText(internet?.login)],
          [
            "Internet on compute nodes",
            internet?.compute == null ? "" : internetText(internet.compute),
          ],
          ["Python", factOf(profile, "python")?.login ?? ""],
          ["Agent", agentText(endpoint)],
        ]}
      />
    </OverviewCard>
  );
}

const AGENT_MODES: Record<string, string> = {
  resident: "keeps running",
  cron: "restarted by your crontab",
  scrontab: "restarted by Slurm's crontab",
  "batch-job": "runs as a small batch job",
  connection: "runs while your ssh connection is open",
};

function agentText({ agent_version: version, stays }: Endpoint): string {
  return [version, AGENT_MODES[stays] ?? stays].filter(Boolean).join(", ");
}

function internetText(reachable: boolean | null | undefined): string {
  if (reachable == null) return "unknown";
  return reachable ? "reachable" : "not reachable";
}

/** Labels and values; lines without a value are left out. */
function FactLines({ lines }: { lines: [string, string][] }) {
  return (
    <Stack gap={6} component="dl" m={0}>
      {lines
        .filter(([, value]) => value)
        .map(([label, value]) => (
          <Group key={label} justify="space-between" gap="md" wrap="nowrap" align="baseline">
            <Text size="sm" c="dimmed" component="dt">
              {label}
            </Text>
            <Text size="sm" component="dd" m={0} ta="right">
              {value}
            </Text>
          </Group>
        ))}
    </Stack>
  );
}
