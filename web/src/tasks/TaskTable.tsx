import { Card, Table } from "@mantine/core";
import type { ReactNode } from "react";
import type { Task } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import { StateBadge } from "./StateBadge";

/** A short list of tasks; the page decides what a name links to. */
export function TaskTable({ tasks, name }: { tasks: Task[]; name: (task: Task) => ReactNode }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={520}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Task</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th>Submitted</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tasks.map((task) => (
              <Table.Tr key={task.id}>
                <Table.Td>{name(task)}</Table.Td>
                <Table.Td>
                  <StateBadge task={task} size="sm" />
                </Table.Td>
                <Table.Td>{task.endpoint}</Table.Td>
                <Table.Td>
                  <TimeAgo at={task.created} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
