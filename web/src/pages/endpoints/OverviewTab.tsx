import { Badge, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconServer2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Endpoint } from "~/api/client";
import { Empty } from "~/components/Answer";
import { FreeBar } from "~/components/FreeBar";
import { Ago } from "~/components/Time";
import { bytes, count, duration, MEGABYTE } from "~/lib/format";
import classes from "./Columns.module.css";
import {
  balanceWords,
  FOLDER_WORDS,
  factOf,
  folderWords,
  gpuWords,
  inOrder,
  type Partition,
  type Profile,
  roomOf,
  toolWords,
} from "./facts";

/** What a machine offers and allows, in tables. */
export function OverviewTab({ endpoint }: { endpoint: Endpoint }) {
  const { profile } = endpoint;
  if (profile.probed_at == null) return <NotProbed />;
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

function NotProbed() {
  return (
    <Empty icon={IconServer2} title="Not probed yet">
      Once connected, the agent reports what the machine offers: partitions, GPUs, limits, accounts
      and folders.
    </Empty>
  );
}

function Box({ title, children }: { title: ReactNode; children: ReactNode }) {
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
  const partitions = inOrder(factOf(profile, "partitions") ?? []);
  if (!partitions.length) return null;
  const freeAt = profile.facts.free?.at;
  return (
    <Box title="Partitions">
      <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
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
            {partitions.map((one) => (
              <PartitionRow key={one.name} partition={one} profile={profile} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Box>
  );
}

function FreeAge({ at }: { at: number }) {
  return (
    <Text span size="xs" c="dimmed" fw={400}>
      (<Ago at={at} />)
    </Text>
  );
}

function PartitionRow({ partition, profile }: { partition: Partition; profile: Profile }) {
  const room = roomOf(profile, partition);
  const waiting = factOf(profile, "free")?.[partition.name]?.pending;
  return (
    <Table.Tr>
      <Table.Td>
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
      </Table.Td>
      <Table.Td>{gpuWords(partition.gpus_per_node) || "none"}</Table.Td>
      <Table.Td>
        {room ? <FreeBar {...room} /> : "unknown"}
        {waiting ? (
          <Text size="xs" c="dimmed">
            {count(waiting, "job waiting", "jobs waiting")}
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td>{nodeWords(partition)}</Table.Td>
      <Table.Td>{partition.max_minutes ? duration(partition.max_minutes * 60) : "none"}</Table.Td>
      <Table.Td>{partition.max_nodes ?? partition.nodes_total ?? "unknown"}</Table.Td>
      <Table.Td>{partition.accounts ? partition.accounts.join(", ") || "none" : "any"}</Table.Td>
    </Table.Tr>
  );
}

function nodeWords(partition: Partition): string {
  const { cpus_per_node: cpus, memory_mb_per_node: memory } = partition;
  const words = [cpus && count(cpus, "CPU"), memory && bytes(memory * MEGABYTE)];
  const whole = partition.whole_nodes ? ["whole nodes only"] : [];
  return [...words.filter(Boolean), ...whole].join(", ") || "unknown";
}

function Machine({ profile }: { profile: Profile }) {
  const cores = factOf(profile, "cores");
  const memory = factOf(profile, "memory_mb");
  if (!cores) return null;
  return (
    <Box title="Machine">
      <Lines
        lines={[
          ["Processor", count(cores, "core")],
          ["Memory", memory ? bytes(memory * MEGABYTE) : ""],
          ["GPUs", gpuWords(factOf(profile, "gpus")) || "none"],
        ]}
      />
    </Box>
  );
}

function Accounts({ profile }: { profile: Profile }) {
  const accounts = factOf(profile, "accounts") ?? [];
  if (!accounts.length) return null;
  return (
    <Box title="Accounts">
      <Lines
        lines={accounts.map((one) => [
          one.default ? `${one.name} (default)` : one.name,
          [
            balanceWords(one),
            one.submit_limit != null && `at most ${count(one.submit_limit, "job")} queued`,
            one.partitions && `only ${one.partitions.join(", ")}`,
          ]
            .filter(Boolean)
            .join(", ") || "no known limit",
        ])}
      />
    </Box>
  );
}

function Folders({ profile }: { profile: Profile }) {
  const folders = Object.entries(factOf(profile, "folders") ?? {});
  return (
    <Box title="Folders">
      <Stack gap="xs">
        {folders.map(([name, folder]) => (
          <div key={name}>
            <Text size="sm" fw={550}>
              {FOLDER_WORDS[name] ?? name}
            </Text>
            <Text size="sm">{folderWords(folder) || "free space unknown"}</Text>
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {folder.path}
            </Text>
          </div>
        ))}
      </Stack>
    </Box>
  );
}

function Software({ endpoint }: { endpoint: Endpoint }) {
  const { profile } = endpoint;
  const tools = factOf(profile, "runtimes");
  const internet = factOf(profile, "internet");
  return (
    <Box title="Software">
      <Lines
        lines={[
          ["Containers", toolWords(tools?.login).join(", ") || "none found"],
          ["On compute nodes", tools?.compute ? toolWords(tools.compute).join(", ") : ""],
          ["Internet", internetWords(internet?.login)],
          [
            "Internet on compute nodes",
            internet?.compute == null ? "" : internetWords(internet.compute),
          ],
          ["Python", factOf(profile, "python")?.login ?? ""],
          ["Agent", agentWords(endpoint)],
        ]}
      />
    </Box>
  );
}

const STAYS: Record<string, string> = {
  resident: "keeps running",
  cron: "restarted by your crontab",
  scrontab: "restarted by Slurm's crontab",
  "batch-job": "runs as a small batch job",
  connection: "runs while your ssh connection is open",
};

function agentWords({ agent_version: version, stays }: Endpoint): string {
  return [version, STAYS[stays] ?? stays].filter(Boolean).join(", ");
}

function internetWords(reachable: boolean | null | undefined): string {
  if (reachable == null) return "unknown";
  return reachable ? "reachable" : "not reachable";
}

/** Label and words; a line without words is left out. */
function Lines({ lines }: { lines: [string, string][] }) {
  return (
    <Stack gap={6} component="dl" m={0}>
      {lines
        .filter(([, words]) => words)
        .map(([label, words]) => (
          <Group key={label} justify="space-between" gap="md" wrap="nowrap" align="baseline">
            <Text size="sm" c="dimmed" component="dt">
              {label}
            </Text>
            <Text size="sm" component="dd" m={0} ta="right">
              {words}
            </Text>
          </Group>
        ))}
    </Stack>
  );
}
