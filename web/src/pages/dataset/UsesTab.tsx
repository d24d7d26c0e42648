import { Anchor, Card, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { type Dataset, datasetUsesQuery } from "~/datasets/api";

/** The reader's own tasks that read it. */
export function UsesTab({ dataset }: { dataset: Dataset }) {
  const query = useQuery(datasetUsesQuery(dataset.id));
  return (
    <QueryResult query={query}>
      {({ items }) =>
        items.length ? (
          <Card padding={0}>
            <Table horizontalSpacing="md" aria-label="Tasks">
              <Table.Tbody>
                {items.map((task) => (
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
                    <Table.Td>{task.state}</Table.Td>
                    <Table.Td>{task.endpoint}</Table.Td>
                    <Table.Td>
                      <TimeAgo at={task.created} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Card>
        ) : (
          <Text c="dimmed">No task has read it yet.</Text>
        )
      }
    </QueryResult>
  );
}
