import { Card, Table, Title } from "@mantine/core";
import type { Task } from "~/api/client";
import { duration, durationRange, formatHours } from "~/lib/format";

/** The estimate made at submission, compared with what happened. */
export function PlannedVsActual({ task }: { task: Task }) {
  const { prediction: planned, happened: actual } = task;
  if (!planned || !actual) return null;
  const { soonest, latest } = planned.finish;
  const rows: [string, string, string][] = [
    ["Duration", durationRange(soonest, latest), duration(actual.seconds)],
    ["Attempts", String(planned.attempts), String(actual.attempts)],
    ["Node-hours", formatHours(planned.node_hours), formatHours(actual.node_hours)],
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
            <Table.Th>{actual.has_ended ? "Actual" : "So far"}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([what, plannedValue, actualValue]) => (
            <Table.Tr key={what}>
              <Table.Th fw={400}>{what}</Table.Th>
              <Table.Td>{plannedValue}</Table.Td>
              <Table.Td>{actualValue}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
