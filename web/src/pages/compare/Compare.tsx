import { Anchor, Card, Stack, Switch, Table, Text, Title } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { whyQuery } from "~/reproduce/api";
import { VerdictCard } from "~/reproduce/VerdictCard";
import { type Cell, type Comparison, comparisonQuery } from "~/runs/api";
import { cellText } from "~/runs/cells";
import { CodeChanges } from "./CodeChanges";
import { CompareCharts } from "./CompareCharts";
import { runsOf } from "./search";

const TITLES: Record<string, string> = {
  params: "Parameters",
  data: "Data",
  code: "Code",
  image: "Image",
  packages: "Packages that differ",
  resources: "Resources",
  metrics: "Metrics, last value",
  best: "Metrics, best value",
  ending: "Ending",
};

/** Runs side by side: what they share and where they differ. */
export function Compare() {
  const runs = runsOf(useSearch({ from: "/compare" }));
  const [all, setAll] = useState(false);
  return (
    <Page
      title="Compare runs"
      lead="Parameters, data, code, packages, metrics and outcomes side by side."
      wide
      actions={
        <Switch
          label="Show equal values too"
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      }
    >
      {runs.length > 1 ? <SideBySide runs={runs} all={all} /> : <ChooseRuns />}
    </Page>
  );
}

function ChooseRuns() {
  return (
    <EmptyState
      icon={IconArrowsDiff}
      title="Choose two runs"
      action={<Link to="/runs">Choose in the table of runs</Link>}
    >
      Select two to ten runs in the table, then press Compare.
    </EmptyState>
  );
}

function SideBySide({ runs, all }: { runs: string[]; all: boolean }) {
  const query = useQuery(comparisonQuery(runs));
  return (
    <QueryResult query={query}>
      {(data) => (
        <Stack>
          <Why data={data} />
          {data.parts.map((part) => (
            <PartTable key={part.name} data={data} part={part} all={all} />
          ))}
          <CodeChanges runs={data.runs} />
          <CompareCharts runs={data.runs} />
        </Stack>
      )}
    </QueryResult>
  );
}

/** Of two tasks that have ended: how they compare, and the likely cause. */
function Why({ data }: { data: Comparison }) {
  const [first, second] = data.runs;
  const areTwo = data.runs.length === 2 && data.runs.every(({ source }) => source === "diamond");
  const query = useQuery({
    ...whyQuery(second?.id ?? "", first?.id ?? ""),
    enabled: areTwo,
    retry: false,
  });
  if (!query.data) return null;
  return <VerdictCard title="How the second compares with the first" verdict={query.data} />;
}

type PartTableProps = { data: Comparison; part: Comparison["parts"][number]; all: boolean };

function PartTable({ data, part, all }: PartTableProps) {
  const rows = part.rows.filter((row) => all || row.differs);
  const title = TITLES[part.name] ?? part.name;
  if (!rows.length) return null;
  return (
    <Card component="section" aria-label={title} padding={0}>
      <Title order={2} px="md" py="xs">
        {title}
      </Title>
      <Table.ScrollContainer minWidth={520}>
        <Table horizontalSpacing="md" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="20%">Name</Table.Th>
              {data.runs.map((run) => (
                <Table.Th key={run.id}>
                  <RunTitle run={run} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr
                key={row.name}
                bg={row.differs && all ? "var(--mantine-color-yellow-light)" : undefined}
              >
                <Table.Th fw={500} style={{ overflowWrap: "anywhere" }}>
                  {row.name || "image"}
                </Table.Th>
                {row.values.map((value, n) => (
                  <Table.Td key={data.runs[n]?.id} style={{ overflowWrap: "anywhere" }}>
                    <ValueText name={row.name} value={value} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function RunTitle({ run }: { run: Comparison["runs"][number] }) {
  const text = `${run.name} ${run.id.slice(0, 8)}`;
  if (run.source !== "diamond") return <>{text}</>;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task: run.id }} {...props} />}
    >
      {text}
    </Anchor>
  );
}

function ValueText({ name, value }: { name: string; value: Cell }) {
  const kind = name === "duration" ? "seconds" : "any";
  const text = cellText({ name, kind }, value);
  return text ? (
    text
  ) : (
    <Text span c="dimmed">
      none
    </Text>
  );
}
