import { Anchor, Badge, Card, Group, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas, Task } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import type { CourseLine, CourseTable } from "~/courses/api";
import { formatHours } from "~/lib/format";
import { StateChip } from "~/tasks/StateBadge";

export function StudentTable({ table }: { table: CourseTable }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer
        minWidth={560 + 150 * table.assignments.length}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table highlightOnHover horizontalSpacing="md" aria-label="Student progress">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Student</Table.Th>
              {table.assignments.map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
              <Table.Th>Last error</Table.Th>
              <Table.Th ta="right">Node-hours</Table.Th>
              <Table.Th>Last seen</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.items.map((line) => (
              <StudentRow key={line.id || line.email} line={line} assignments={table.assignments} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function StudentRow({ line, assignments }: { line: CourseLine; assignments: string[] }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text size="sm" fw={550}>
            {line.name || line.email}
          </Text>
          {line.role === "invited" && (
            <Badge size="sm" color="gray">
              invited
            </Badge>
          )}
        </Group>
        {line.name && (
          <Text size="xs" c="dimmed">
            {line.email}
          </Text>
        )}
      </Table.Td>
      {assignments.map((name) => (
        <Table.Td key={name}>
          <ProgressCell cell={line.cells.find((cell) => cell.assignment === name)} />
        </Table.Td>
      ))}
      <Table.Td maw={320}>
        <Text size="xs" lineClamp={2} title={line.last_error} style={{ overflowWrap: "anywhere" }}>
          {line.last_error}
        </Text>
      </Table.Td>
      <Table.Td ta="right">{formatHours(line.use.node_hours)}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {line.last_seen == null ? "never" : <TimeAgo at={line.last_seen} />}
      </Table.Td>
    </Table.Tr>
  );
}

function ProgressCell({ cell }: { cell?: Schemas["CourseCell"] }) {
  if (!cell) {
    return (
      <Text size="sm" c="dimmed">
        not started
      </Text>
    );
  }
  return (
    <div>
      <Anchor
        underline="never"
        renderRoot={(props) => <Link to="/tasks/$task" params={{ task: cell.task }} {...props} />}
      >
        <StateChip
          task={{ state: cell.state as Task["state"], phase: "" }}
          title={cell.message}
          size="sm"
        />
      </Anchor>
      <Text size="xs" c="dimmed">
        {[cell.tries > 1 && `${cell.tries} attempts`, cell.is_late && "late"]
          .filter(Boolean)
          .join(", ")}
      </Text>
    </div>
  );
}
