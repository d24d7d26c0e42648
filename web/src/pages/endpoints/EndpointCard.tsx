import { Badge, Box, Card, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Endpoint } from "~/api/client";
import { EndpointBadge } from "~/components/EndpointBadge";
import { FreeBar } from "~/components/FreeBar";
import { Ago } from "~/components/Time";
import { bytes, count, MEGABYTE } from "~/lib/format";
import { Away, Outdated } from "./Away";
import classes from "./EndpointCard.module.css";
import {
  balanceWords,
  carrierWords,
  factOf,
  folderWords,
  gpuWords,
  inOrder,
  limitWords,
  type Partition,
  type Profile,
  placeWords,
  roomOf,
  schedulerWords,
  toolWords,
} from "./facts";

const SHOWN = 4;

/** One machine at a glance: whether it is there, what is free, what it allows. */
export function EndpointCard({ endpoint }: { endpoint: Endpoint }) {
  const called = endpoint.last_seen != null;
  return (
    <Card component="article" aria-label={`Endpoint ${endpoint.name}`}>
      <Stack gap="sm">
        <Head endpoint={endpoint} />
        {endpoint.state !== "online" && <Away endpoint={endpoint} />}
        <Outdated endpoint={endpoint} />
        {called && <Partitions endpoint={endpoint} />}
        {called && <Facts endpoint={endpoint} />}
      </Stack>
    </Card>
  );
}

function Head({ endpoint }: { endpoint: Endpoint }) {
  const words = [
    endpoint.last_seen != null && schedulerWords(endpoint.profile),
    placeWords(endpoint),
    carrierWords(endpoint),
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
        {words.filter(Boolean).join(" · ")}
      </Text>
    </Box>
  );
}

function Partitions({ endpoint }: { endpoint: Endpoint }) {
  const all = inOrder(factOf(endpoint.profile, "partitions") ?? []);
  if (!all.length) return null;
  const more = all.length - SHOWN;
  return (
    <Box>
      {all.slice(0, SHOWN).map((one) => (
        <PartitionLine key={one.name} partition={one} profile={endpoint.profile} />
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
  const room = roomOf(profile, partition);
  const gpus = gpuWords(partition.gpus_per_node);
  return (
    <div className={classes.partition}>
      <Text size="sm" fw={550} truncate>
        {partition.name}
      </Text>
      <Text size="xs">{gpus ? `${gpus} a node` : "no GPUs"}</Text>
      <Text size="xs" c="dimmed">
        {limitWords(partition)}
      </Text>
      {room ? <FreeBar {...room} /> : <span />}
    </div>
  );
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  return (
    <dl className={classes.facts}>
      {factLines(endpoint.profile).map(({ label, words }) => (
        <Line key={label} label={label}>
          {words}
        </Line>
      ))}
      {endpoint.last_seen != null && (
        <Line label="Last seen">
          <Ago at={endpoint.last_seen} />
        </Line>
      )}
    </dl>
  );
}

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function factLines(profile: Profile): { label: string; words: string }[] {
  const folders = factOf(profile, "folders");
  const lines = [
    { label: "Machine", words: machineWords(profile) },
    { label: "Accounts", words: accountWords(profile) },
    { label: "Work folder", words: folderWords(folders?.work) },
    { label: "Keep folder", words: folderWords(folders?.keep) },
    { label: "Containers", words: toolWords(factOf(profile, "runtimes")?.login).join(", ") },
  ];
  return lines.filter((line) => line.words);
}

function machineWords(profile: Profile): string {
  const cores = factOf(profile, "cores");
  const memory = factOf(profile, "memory_mb");
  if (!cores) return "";
  const gpus = gpuWords(factOf(profile, "gpus")) || "no GPUs";
  return [count(cores, "core"), memory && bytes(memory * MEGABYTE), gpus]
    .filter(Boolean)
    .join(", ");
}

function accountWords(profile: Profile): string {
  const words = (one: { name: string }) =>
    [one.name, balanceWords(one) && `(${balanceWords(one)})`].filter(Boolean).join(" ");
  return (factOf(profile, "accounts") ?? []).map(words).join(", ");
}
