import { Table, Text } from "@mantine/core";
import type { ModelVersion } from "~/models/api";

/** What goes in and comes out, as the program stated it. */
export function Signature({ version }: { version: ModelVersion }) {
  const rows = Object.entries(version.signature).flatMap(([part, fields]) =>
    fields !== null && typeof fields === "object" && !Array.isArray(fields)
      ? Object.entries(fields).map(([name, type]) => ({ part, name, type: text(type) }))
      : [{ part, name: "", type: text(fields) }],
  );
  if (!rows.length) return null;
  return (
    <Table.ScrollContainer minWidth={280}>
      <Table aria-label={`Signature of version ${version.number}`} fz="sm" maw={560}>
        <Table.Tbody>
          {rows.map(({ part, name, type }) => (
            <Table.Tr key={`${part}.${name}`}>
              <Table.Td c="dimmed">{part}</Table.Td>
              <Table.Td>{name}</Table.Td>
              <Table.Td>
                <Text size="sm" ff="monospace">
                  {type}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
