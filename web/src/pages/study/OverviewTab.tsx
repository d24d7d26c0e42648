import { Anchor, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useCallback } from "react";
import { Facts } from "~/components/Facts";
import { SkeletonLines } from "~/components/SkeletonLines";
import { formatHours, formatNumber } from "~/lib/format";
import type { StudyDetail, TrialColumns } from "~/studies/api";
import { completed, paramText, rungs } from "~/studies/data";
import type { Colors } from "~/studies/Plot";
import { bestOption, frontOption } from "~/studies/plots";
import type { TabProps } from "./StudyPage";

// Charts are larger than the rest of a page.
const Plot = lazy(() => import("~/studies/Plot"));

/** The best point, how the search came there, and what it cost. */
export function OverviewTab({ study, trials }: TabProps) {
  return (
    <Stack gap="md">
      <Progressed study={study} trials={trials} />
      <Group align="flex-start" gap="md" grow preventGrowOverflow={false}>
        <Best study={study} />
        <Cost study={study} />
        <Places trials={trials} />
      </Group>
      <Rungs study={study} trials={trials} />
    </Stack>
  );
}

function Progressed({ study, trials }: TabProps) {
  const isSingle = study.objectives.length === 1;
  const option = useCallback(
    (colors: Colors) =>
      isSingle ? bestOption(study, trials, colors) : frontOption(study, trials, colors),
    [isSingle, study, trials],
  );
  const done = completed(trials).length;
  if (!done) {
    return (
      <Panel title="Best so far">
        <Text size="sm" c="dimmed">
          No trial is complete yet.
        </Text>
      </Panel>
    );
  }
  const title = isSingle ? "Best so far" : "Pareto front";
  return (
    <Panel title={title}>
      <Suspense fallback={<SkeletonLines count={4} />}>
        <Plot label={`${title}, from ${done} complete trials`} option={option} height={300} />
      </Suspense>
    </Panel>
  );
}

export function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}

function Best({ study }: { study: StudyDetail }) {
  const { best } = study;
  if (!best) return null;
  const value = formatNumber(best.values[0] ?? 0);
  const spread = best.spread == null ? "" : ` ± ${formatNumber(best.spread)}`;
  return (
    <Facts
      title="Best trial"
      facts={[
        [study.objectives[0]?.name ?? "", `${value}${spread}`],
        ...Object.entries(best.params).map(([name, given]): [string, ReactNode] => [
          name,
          paramText(given),
        ]),
        ["Trial", String(best.number)],
      ]}
    >
      {best.task && (
        <Group gap="md" mt="sm">
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/tasks/$task" params={{ task: best.task }} {...props} />
            )}
          >
            Open its task
          </Anchor>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/compose" search={{ from: best.task }} {...props} />}
          >
            Train it longer
          </Anchor>
        </Group>
      )}
    </Facts>
  );
}

function Cost({ study }: { study: StudyDetail }) {
  const facts: [string, ReactNode][] = [["Used", `${formatHours(study.node_hours)} node-hours`]];
  if (study.pruner.name !== "none") {
    facts.push([
      "Saved by pruning",
      `${formatHours(study.node_hours_saved)} node-hours (estimate)`,
    ]);
  }
  if (study.budget) facts.push(["Budget", study.budget]);
  for (const [state, number] of Object.entries(study.counts)) {
    if (number) facts.push([state[0]?.toUpperCase() + state.slice(1), String(number)]);
  }
  return <Facts title="Cost" facts={facts} />;
}

function Places({ trials }: { trials: TrialColumns }) {
  const places = new Map<string, { open: number; ended: number }>();
  trials.endpoint.forEach((endpoint, index) => {
    if (!endpoint) return;
    const here = places.get(endpoint) ?? { open: 0, ended: 0 };
    const isOpen = trials.ended[index] == null;
    places.set(endpoint, {
      open: here.open + (isOpen ? 1 : 0),
      ended: here.ended + (isOpen ? 0 : 1),
    });
  });
  const facts = [...places].map(([name, { open, ended }]): [string, ReactNode] => [
    name,
    open ? `${ended} ended, ${open} open` : `${ended} ended`,
  ]);
  return <Facts title="Where trials run" facts={facts} />;
}

function Rungs({ study, trials }: TabProps) {
  const found = rungs(study, trials);
  if (!found.length) return null;
  return (
    <Panel title="Rungs">
      <Table w="auto" horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">{study.pruner.unit}</Table.Th>
            <Table.Th ta="right">Reached it</Table.Th>
            <Table.Th ta="right">Stopped there</Table.Th>
            <Table.Th ta="right">Continued</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {found.map(({ at, reached, stopped }) => (
            <Table.Tr key={at}>
              <Table.Td ta="right">{formatNumber(at)}</Table.Td>
              <Table.Td ta="right">{reached}</Table.Td>
              <Table.Td ta="right">{stopped}</Table.Td>
              <Table.Td ta="right">{reached - stopped}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
