import { Anchor, Card, Table } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { type Image, usesQuery } from "~/api/images";
import { Answer, Empty } from "~/components/Answer";
import { StateBadge } from "~/components/StateBadge";
import { Ago } from "~/components/Time";

/** The tasks that ran inside it, newest first. */
export function Uses({ image }: { image: Image }) {
  return (
    <Answer query={useQuery(usesQuery(image.id))}>
      {({ items }) =>
        items.length ? (
          <Tasks tasks={items} />
        ) : (
          <Empty icon={IconListDetails} title="No task has used it yet">
            A job uses it by its name: choose “An image” under Environment, or write environment:{" "}
            {image.name || "its digest"} in its YAML.
          </Empty>
        )
      }
    </Answer>
  );
}

function Tasks({ tasks }: { tasks: Task[] }) {
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
                <Table.Td>
                  <Anchor
                    size="sm"
                    renderRoot={(props) => (
                      <Link to="/tasks/$task" params={{ task: task.id }} {...props} />
                    )}
                  >
                    {task.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <StateBadge task={task} size="sm" />
                </Table.Td>
                <Table.Td>{task.endpoint}</Table.Td>
                <Table.Td>
                  <Ago at={task.created} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
