import { Card, Table, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { formatNumber } from "~/lib/format";
import type { RunTable } from "~/runs/api";
import { cellText, columnTitle } from "~/runs/cells";

/** Mean and spread of each column, for each value of the columns that runs are grouped by. */
export function GroupTable({ data, by }: { data: RunTable; by: string[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={520}>
        <Table horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              {by.map((name) => (
                <Table.Th key={name}>{columnTitle(name)}</Table.Th>
              ))}
              <Table.Th ta="right">Runs</Table.Th>
              {data.columns.map(({ name }) => (
                <Table.Th key={name} ta="right">
                  {columnTitle(name)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.groups.map((group) => (
              <Table.Tr key={JSON.stringify(group.by)}>
                {group.by.map((value, n) => (
                  <Table.Th key={by[n]} fw={500}>
                    {cellText({ name: by[n] ?? "", kind: "any" }, value) || "none"}
                  </Table.Th>
                ))}
                <Table.Td ta="right">{group.count}</Table.Td>
                {group.columns.map((spread, n) => (
                  <Table.Td key={data.columns[n]?.name} ta="right">
                    <SpreadText spread={spread} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {data.group_count > data.groups.length && (
        <Text c="dimmed" size="sm" p="md">
          The first {data.groups.length} of {data.group_count} groups. Choose a column with fewer
          different values.
        </Text>
      )}
    </Card>
  );
}

function SpreadText({ spread }: { spread: Schemas["Spread"] | null }) {
  if (!spread)
    return (
      <Text span c="dimmed">
        –
      </Text>
    );
  const around = spread.spread === null ? "" : ` ± ${formatNumber(spread.spread)}`;
  return (
    <span title={`${spread.count} values from ${spread.min} to ${spread.max}`}>
      {formatNumber(spread.mean)}
      {around}
    </span>
  );
}
