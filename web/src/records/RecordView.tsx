import { Badge, Card, Code, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconShieldCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Schemas } from "~/api/client";
import { Facts } from "~/components/Facts";
import { dayTime, exactTime, formatNumber } from "~/lib/format";
import { valueText } from "~/lib/text";
import classes from "./RecordView.module.css";

type Contents = Omit<Schemas["TaskRecord"], "check" | "entries" | "task">;
type Entry = Schemas["RecordEntry"];
type Fault = Schemas["RecordFault"] | null | undefined;
type Row = [string, ReactNode];

const TITLES: Record<string, string> = {
  submitted: "Submitted",
  resolved: "Spec resolved",
  image: "Image resolved",
  facts: "Machine and program recorded",
  attempt: "Attempt ended",
  ended: "Task ended",
  metrics: "Metrics saved",
  result: "Result registered",
  reproduced: "Reproduced",
  imported: "Imported",
};

/** What the entries of a record say, put together, and the entries themselves. */
export function RecordView({ record, entries }: { record: Contents; entries: Entry[] }) {
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Facts title="Code and environment" facts={environmentFacts(record)} />
        <Facts title="Inputs" facts={inputFacts(record)} />
        {(record.machines ?? []).map((machine) => (
          <Facts
            key={`${machine.attempt}-${machine.run}-${machine.cpu}-${machine.python}`}
            title={machine.cpu || machine.kernel || machine.cores ? "Machine" : "Program"}
            facts={machineFacts(machine)}
          />
        ))}
        <Facts title="Outcome" facts={outcomeFacts(record)} />
      </SimpleGrid>
      <Entries entries={entries} />
    </Stack>
  );
}

/** Whether the record is still what was written. */
export function Verified({ faults, words }: { faults: Fault[]; words: string }) {
  const fault = faults.find(Boolean);
  if (fault) {
    return (
      <Badge color="red" variant="light" size="lg" leftSection={<IconAlertTriangle size={14} />}>
        Changed: {fault.message}
      </Badge>
    );
  }
  return (
    <Badge color="teal" variant="light" size="lg" leftSection={<IconShieldCheck size={14} />}>
      Verified: {words}
    </Badge>
  );
}

function Entries({ entries }: { entries: Entry[] }) {
  return (
    <Card p={0} component="section" aria-label="Entries">
      <Title order={2} p="md" pb="xs">
        Entries
      </Title>
      <ol className={classes.list}>
        {entries.map((entry) => (
          <li key={entry.n} className={classes.entry}>
            <time className={classes.time} title={exactTime(entry.at)}>
              {dayTime(entry.at)}
            </time>
            <div className={classes.what}>
              <Group gap="xs">
                <Text size="sm" fw={550}>
                  {entry.n}. {TITLES[entry.kind] ?? entry.kind}
                </Text>
                <Code title={entry.hash}>{shortDigest(entry.hash)}</Code>
              </Group>
              <details className={classes.details}>
                <summary>Details</summary>
                {Object.entries(entry.body).map(([name, value]) => (
                  <div key={name}>
                    {name}: <Code className={classes.value}>{valueText(value)}</Code>
                  </div>
                ))}
              </details>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function environmentFacts({ code, image, diamond }: Contents): Row[] {
  const rows: Row[] = [];
  if (code) {
    rows.push(["Code", <Digest key="code" digest={code.snapshot || code.git_commit || ""} />]);
    if (code.commit) {
      const changes = code.is_dirty ? " with uncommitted changes" : "";
      rows.push(["Commit", `${code.commit.slice(0, 12)}${changes}`]);
    }
  }
  if (image) {
    rows.push(["Image", image.base || "no base"]);
    rows.push(["Image file", <Digest key="file" digest={image.sha256} />]);
    if (image.lock) rows.push(["Lock", <Digest key="lock" digest={image.lock} />]);
    if (image.python) rows.push(["Python", image.python]);
  }
  if (diamond) rows.push(["Diamond", diamond]);
  return rows;
}

function inputFacts({ inputs, params, seeds }: Contents): Row[] {
  const data: Row[] = (inputs ?? []).map((input) => [
    `Data ${input.name}`,
    input.tree ? (
      <Group key={input.name} gap="xs">
        {input.version}
        <Digest digest={input.tree} />
      </Group>
    ) : (
      "not versioned"
    ),
  ]);
  const given: Row[] = Object.entries(params ?? {}).map(([name, value]) => [
    name,
    valueText(value),
  ]);
  const known: Row[] = Object.entries(seeds ?? {}).map(([name, value]) => [
    name.toLowerCase().includes("seed") ? `Seed (${name})` : `Seed of ${name}`,
    value,
  ]);
  return [...data, ...given, ...known];
}

function machineFacts(machine: Schemas["FactsSeen"]): Row[] {
  const gpus = (machine.gpus ?? []).map((gpu) => gpu.name).join(", ");
  const libraries = Object.entries(machine.libraries ?? {})
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
  const rows: [string, string][] = [
    ["CPU", machine.cpu ?? ""],
    ["Cores", machine.cores ? String(machine.cores) : ""],
    ["GPUs", gpus],
    ["Driver", machine.driver ?? ""],
    ["CUDA", machine.cuda ?? ""],
    ["System", machine.system ?? ""],
    ["Kernel", machine.kernel ?? ""],
    ["Python", machine.python ?? ""],
    ["Libraries", libraries],
  ];
  return rows.filter(([, value]) => value);
}

function outcomeFacts({ end, attempts, metrics }: Contents): Row[] {
  const rows: Row[] = [];
  if (end) {
    rows.push(["State", end.reason ? `${end.state}, ${end.reason}` : end.state]);
    rows.push(["Node-hours", formatNumber(end.node_hours ?? 0)]);
  }
  if (attempts?.length) rows.push(["Attempts", String(attempts.length)]);
  if (typeof metrics?.energy_joules === "number") {
    rows.push(["Energy", `${formatNumber(metrics.energy_joules / 3.6e6)} kWh`]);
  }
  for (const [name, { last }] of Object.entries(metrics?.values ?? {}).slice(0, 12)) {
    rows.push([name, typeof last === "number" ? formatNumber(last) : valueText(last)]);
  }
  return rows;
}

function Digest({ digest }: { digest: string }) {
  return <Code title={digest}>{shortDigest(digest)}</Code>;
}

function shortDigest(digest: string): string {
  return digest.replace("sha256:", "").slice(0, 12);
}
