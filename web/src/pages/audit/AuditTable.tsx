import { Anchor, Card, Table, Text } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { TimeAgo } from "~/components/Time";

type AuditLine = Schemas["AuditLine"];

export function AuditTable({ lines }: { lines: AuditLine[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={820} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table highlightOnHover horizontalSpacing="md" fz="sm" aria-label="Audit log">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={120}>When</Table.Th>
              <Table.Th w={180}>Who</Table.Th>
              <Table.Th>Action</Table.Th>
              <Table.Th>Details</Table.Th>
              <Table.Th w={130}>From</Table.Th>
              <Table.Th w={150}>Credential</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line) => (
              <AuditRow key={line.n} line={line} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function AuditRow({ line }: { line: AuditLine }) {
  const search = useSearch({ from: "/audit" });
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <TimeAgo at={line.at} />
      </Table.Td>
      <Table.Td>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/audit" search={{ ...search, user: line.user }} {...props} />
          )}
        >
          {line.name || line.user}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <Text size="sm" title={line.action}>
          {line.words}
        </Text>
      </Table.Td>
      <Table.Td>
        {Object.entries(line.about).map(([name, value]) => (
          <Text key={name} size="xs" style={{ overflowWrap: "anywhere" }}>
            <Text span inherit c="dimmed">
              {name}
            </Text>{" "}
            {value}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>{line.address || "this machine"}</Table.Td>
      <Table.Td>
        <Text size="xs" ff="monospace" c="dimmed" truncate maw={140} title={line.credential}>
          {line.credential}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
