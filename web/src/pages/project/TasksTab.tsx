import { Anchor, Button, Card, Group, Table, Text } from "@mantine/core";
import { IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import { formatNumber } from "~/lib/format";
import type { ProjectPage } from "~/projects/api";
import { canAdd } from "~/projects/permissions";
import { ColumnChooser } from "~/tasks/columns/ColumnChooser";
import { columnLabel, columnsOf, columnsText, columnText } from "~/tasks/columns/columns";
import { useSummaries } from "~/tasks/columns/useSummaries";
import { StateBadge } from "~/tasks/StateBadge";
import { bestOf, type Summary } from "~/tasks/summaries";

/** All tasks of the project, newest first. */
export function TasksTab({ project }: { project: ProjectPage }) {
  const query = useInfiniteQuery({
    queryKey: [...keys.tasks, "of-project", project.id],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET("/api/v1/tasks", {
          params: { query: { project: project.id, limit: 50, cursor: pageParam || undefined } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  return (
    <>
      {canAdd(project) && (
        <Group mb="md">
          <NewJob project={project} />
        </Group>
      )}
      <QueryResult query={query} loading={<SkeletonLines count={6} height={36} />}>
        {({ pages }) => {
          const tasks = pages.flatMap((page) => page.items);
          if (!tasks.length) return <NoTasks project={project} />;
          return (
            <>
              <ProjectTaskTable project={project} tasks={tasks} />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
    </>
  );
}

function NewJob({ project }: { project: ProjectPage }) {
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/compose" search={{ project: project.id }} {...props} />}
    >
      New job in this project
    </Button>
  );
}

function NoTasks({ project }: { project: ProjectPage }) {
  return (
    <EmptyState icon={IconUsersGroup} title="No tasks yet">
      {emptyText(project)}
    </EmptyState>
  );
}

function emptyText(project: ProjectPage): string {
  if (project.course) {
    return "Jobs you start in this course appear here. Only you and the course's managers can see them.";
  }
  return canAdd(project)
    ? "Submit a job to this project, or share one of your tasks with it. Everyone in the project can then see it."
    : "Jobs that members submit to this project appear here.";
}

function ProjectTaskTable({ project, tasks }: { project: ProjectPage; tasks: Task[] }) {
  const { columns: text } = useSearch({ from: "/projects/$project" });
  const navigate = useNavigate({ from: "/projects/$project" });
  const ids = tasks.map(({ id }) => id);
  const summaries = useSummaries(ids, { first: 0, last: ids.length - 1 }, true);
  const columns = columnsOf(text);
  const choose = (chosen: string[]) =>
    void navigate({ search: (now) => ({ ...now, columns: columnsText(chosen) }), replace: true });
  const names = new Map(project.members.map((member) => [member.id, member.name]));
  return (
    <>
      <Group justify="flex-end" mb="xs">
        <ColumnChooser tasks={ids} chosen={columns} onChange={choose} />
      </Group>
      <Card padding={0}>
        <Table.ScrollContainer
          minWidth={760 + 110 * columns.length}
          scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
        >
          <Table highlightOnHover horizontalSpacing="md" aria-label="Project tasks">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Task</Table.Th>
                <Table.Th w={180}>State</Table.Th>
                <Table.Th>Main metric</Table.Th>
                {columns.map((column) => (
                  <Table.Th key={column}>{columnLabel(column)}</Table.Th>
                ))}
                <Table.Th>Owner</Table.Th>
                <Table.Th>Endpoint</Table.Th>
                <Table.Th w={130}>Created</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tasks.map((task) => (
                <Table.Tr key={task.id}>
                  <Table.Td>
                    <Anchor
                      size="sm"
                      fw={550}
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
                  <Table.Td>
                    <MainValue summary={summaries.get(task.id)} />
                  </Table.Td>
                  {columns.map((column) => (
                    <Table.Td key={column}>
                      {column === "tags"
                        ? task.tags.join(", ")
                        : columnText(column, summaries.get(task.id))}
                    </Table.Td>
                  ))}
                  <Table.Td>
                    {names.get(task.owner) ?? (
                      <Text inherit c="dimmed">
                        former member
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{task.endpoint}</Table.Td>
                  <Table.Td style={{ whiteSpace: "nowrap" }}>
                    <TimeAgo at={task.created} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
    </>
  );
}

/** The number that tells most about a task, now and at its best. */
function MainValue({ summary }: { summary: Summary | undefined }) {
  const main = summary?.values.find(({ name }) => name === summary.main);
  if (!main) return null;
  const best = bestOf(main);
  return (
    <>
      {main.name} {formatNumber(main.last)}
      {best && best.value !== main.last && (
        <Text inherit span c="dimmed">
          {" "}
          (best {formatNumber(best.value)})
        </Text>
      )}
    </>
  );
}
