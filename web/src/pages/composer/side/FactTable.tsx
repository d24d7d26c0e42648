import { Table } from "@mantine/core";

export type Fact = [name: string, value: string] | false | null | undefined;

/** Names and values in two columns; unknown values are left out. */
export function FactTable({ facts }: { facts: Fact[] }) {
  const known = facts.filter((fact): fact is [string, string] => Boolean(fact));
  return (
    <Table withRowBorders={false} verticalSpacing={3} horizontalSpacing={0}>
      <Table.Tbody>
        {known.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th fw={400} c="dimmed" pr="md" miw={84} style={{ verticalAlign: "top" }}>
              {name}
            </Table.Th>
            <Table.Td ta="right">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
