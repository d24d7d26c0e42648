import { Anchor, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf, type Endpoint, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { count, dayTime, formatHours } from "~/lib/format";
import { TaskTable } from "~/tasks/TaskTable";
import { averageOf, dayNames, hourCells } from "./load";
import classes from "./QueueTab.module.css";

const DAYS = 7;
const MAX_TASKS = 50;

/** Your jobs here, how busy the partitions were, and how much you used. */
export function QueueTab({ endpoint }: { endpoint: Endpoint }) {
  const load = useQuery({
    queryKey: [...keys.endpoints, endpoint.name, "load"],
    queryFn: () =>
      dataOf(
        api.GET("/api/v1/endpoints/{name}/load", {
          params: { path: { name: endpoint.name }, query: { days: DAYS } },
        }),
      ),
  });
  return (
    <Stack>
      <YourJobs endpoint={endpoint} />
      <QueryResult query={load} loading={<SkeletonLines count={4} height={28} />}>
        {({ partitions, used }) => (
          <>
            <Busy partitions={partitions} />
            <Used used={used} />
          </>
        )}
      </QueryResult>
    </Stack>
  );
}

function YourJobs({ endpoint }: { endpoint: Endpoint }) {
  const query = {
    endpoint: endpoint.name,
    state: ["running", "pending", "preparing"],
    limit: MAX_TASKS,
  };
  const tasks = useQuery({
    queryKey: [...keys.tasks, "open", endpoint.name],
    queryFn: () => dataOf(api.GET("/api/v1/tasks", { params: { query } })),
  });
  return (
    <section aria-label="Your jobs">
      <Title order={2} mb="xs">
        Your jobs
      </Title>
      <QueryResult query={tasks} loading={<SkeletonLines count={2} height={36} />}>
        {({ items }) =>
          items.length ? (
            <TaskTable
              tasks={items}
              name={(task) => (
                <Anchor
                  size="sm"
                  fw={550}
                  renderRoot={(props) => (
                    <Link to="/tasks/$task" params={{ task: task.id }} {...props} />
                  )}
                >
                  {task.name}
                </Anchor>
              )}
            />
          ) : (
            <Text size="sm" c="dimmed">
              None of your jobs is running or waiting here.
            </Text>
          )
        }
      </QueryResult>
    </section>
  );
}

function Busy({ partitions }: { partitions: Schemas["PartitionLoad"][] }) {
  return (
    <Card component="section" aria-label="How busy">
      <Group justify="space-between" mb="xs">
        <Title order={2}>How busy, last {DAYS} days</Title>
        <Group gap={6} className={classes.legend} aria-hidden>
          idle <span className={classes.scale} /> full
        </Group>
      </Group>
      {partitions.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing recorded yet. Diamond notes what is free each time the endpoint reports it.
        </Text>
      ) : (
        <Stack gap="sm">
          {partitions.map((partition) => (
            <PartitionStrip key={partition.name} partition={partition} />
          ))}
          <div className={classes.days} aria-hidden>
            {dayNames(DAYS, Date.now() / 1000).map((name) => (
              <span key={name}>{name}</span>
            ))}
          </div>
        </Stack>
      )}
    </Card>
  );
}

function PartitionStrip({ partition: { name, hours } }: { partition: Schemas["PartitionLoad"] }) {
  const { busy, pending } = averageOf(hours);
  const summary = `${Math.round(100 * busy)} % busy on average, ${count(Math.round(pending), "job")} waiting`;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {summary}
        </Text>
      </Group>
      <div className={classes.strip} role="img" aria-label={`${name}: ${summary}`}>
        {hourCells(hours, DAYS, Date.now() / 1000).map(({ at, hour }) => (
          <span
            key={at}
            className={classes.cell}
            data-known={hour ? true : undefined}
            style={{ "--busy": hour?.busy ?? 0 } as React.CSSProperties}
            title={
              hour
                ? `${dayTime(at)}: ${Math.round(100 * hour.busy)} % busy, ${Math.round(hour.pending)} waiting`
                : `${dayTime(at)}: not known`
            }
          />
        ))}
      </div>
    </div>
  );
}

function Used({ used }: { used: Schemas["UsedDay"][] }) {
  const most = Math.max(...used.map(({ node_hours }) => node_hours), 0.01);
  return (
    <Card component="section" aria-label="Your use">
      <Title order={2} mb="xs">
        Your usage by start day
      </Title>
      {used.length === 0 ? (
        <Text size="sm" c="dimmed">
          None of your tasks started here in the last {DAYS} days.
        </Text>
      ) : (
        <SimpleGrid cols={1} spacing={6}>
          {used.map((day) => (
            <div key={day.at} className={classes.used}>
              <Text size="xs" c="dimmed">
                {new Date(day.at * 1000).toLocaleDateString(undefined, {
                  weekday: "short",
                  month: "short",
                  day: "numeric",
                })}
              </Text>
              <span
                className={classes.bar}
                style={{ width: `${(100 * day.node_hours) / most}%` }}
                aria-hidden
              />
              <Text size="xs">
                {formatHours(day.node_hours)} node-hours, {count(day.tasks, "task")}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      )}
    </Card>
  );
}
