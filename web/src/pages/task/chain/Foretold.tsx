import { Card, Table, Title } from "@mantine/core";
import type { Task } from "~/api/client";
import { duration, durations, hours } from "~/lib/format";

/** What was foretold when it was asked for, beside what happened. */
export function Foretold({ task }: { task: Task }) {
  const { prediction: told, happened } = task;
  if (!told || !happened) return null;
  const { soonest, latest } = told.finish;
  const rows: [string, string, string][] = [
    ["Duration", durations(soonest, latest), duration(happened.seconds)],
    ["Attempts", String(told.attempts), String(happened.attempts)],
    ["Node-hours", hours(told.node_hours), hours(happened.node_hours)],
  ];
  return (
    <Card component="section" aria-label="Planned vs. actual">
      <Title order={2} mb="xs">
        Planned vs. actual
      </Title>
      <Table horizontalSpacing="sm" verticalSpacing={4} maw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th />
            <Table.Th>Planned</Table.Th>
            <Table.Th>{happened.has_ended ? "Actual" : "So far"}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([what, then, now]) => (
            <Table.Tr key={what}>
              <Table.Th fw={400}>{what}</Table.Th>
              <Table.Td>{then}</Table.Td>
              <Table.Td>{now}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
