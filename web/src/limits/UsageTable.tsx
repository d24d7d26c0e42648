import { Card, Table, Text } from "@mantine/core";
import { formatBytes, formatHours, formatNumber } from "~/lib/format";
import type { UsageLine } from "./api";

type TableProps = { lines: UsageLine[]; who: "Person" | "Project" };

/** Usage per person or project, highest first. */
export function UsageTable({ lines, who }: TableProps) {
  const sorted = [...lines].sort((a, b) => b.use.node_hours - a.use.node_hours);
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table horizontalSpacing="md" aria-label={`Usage by ${who.toLowerCase()}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{who}</Table.Th>
              <Table.Th ta="right">Node-hours</Table.Th>
              <Table.Th ta="right">Running tasks</Table.Th>
              <Table.Th ta="right">Total tasks</Table.Th>
              <Table.Th ta="right">Storage</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map((line) => (
              <Table.Tr key={line.id}>
                <Table.Td>
                  {line.name}
                  {line.email && (
                    <Text size="xs" c="dimmed">
                      {line.email}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td ta="right">
                  {usedOfLimit(line.use.node_hours, line.limits.node_hours, formatHours)}
                </Table.Td>
                <Table.Td ta="right">
                  {usedOfLimit(line.use.running_tasks, line.limits.running_tasks, formatNumber)}
                </Table.Td>
                <Table.Td ta="right">{formatNumber(line.use.tasks)}</Table.Td>
                <Table.Td ta="right">
                  {usedOfLimit(line.use.storage_bytes, line.limits.storage_bytes, formatBytes)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function usedOfLimit(
  used: number,
  limit: number | null | undefined,
  format: (value: number) => string,
) {
  return limit == null ? format(used) : `${format(used)} of ${format(limit)}`;
}
