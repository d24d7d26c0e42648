import { Alert, Anchor, Card, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { Facts } from "~/components/Facts";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import { valueText } from "~/lib/text";
import { Reproductions } from "~/reproduce/Reproductions";
import { codeFacts, environmentFacts, resourceFacts } from "~/tasks/facts";
import { TaskLink } from "~/tasks/TaskLink";
import { AttemptsCard } from "./chain/AttemptsCard";
import { PlannedVsActual } from "./chain/PlannedVsActual";
import { TestRuns } from "./chain/TestRuns";
import { Dependencies } from "./Dependencies";
import { EndpointName } from "./EndpointName";
import { FirstLook } from "./overview/FirstLook";
import { historyQuery } from "./queries";
import { RunTable } from "./RunTable";
import { ShellHint } from "./ShellHint";
import { Timeline } from "./Timeline";

/** Progress, curve, log and numbers first; then timeline, attempts, results and configuration. */
export function OverviewTab({ task }: { task: Task }) {
  const history = useQuery(historyQuery(task.id));
  const { order } = task;
  return (
    <Stack>
      {task.archived && (
        <Alert color="gray" title="Archived">
          Log and curves were removed from this service <TimeAgo at={task.archived} />. The record
          and the final values stay. {task.run_dir && "The run directory still has the whole log."}
        </Alert>
      )}
      <FirstLook task={task} />
      {task.kind === "run" && <Reproductions task={task.id} />}
      <Card component="section" aria-label="Timeline">
        <Title order={2} mb="xs">
          Timeline
        </Title>
        <QueryResult query={history} loading={<SkeletonLines count={2} height={24} />}>
          {({ items }) => <Timeline task={task} history={items} />}
        </QueryResult>
      </Card>
      <Dependencies task={task} />
      <RunTable task={task} />
      <TestRuns task={task} />
      <AttemptsCard task={task} />
      <PlannedVsActual task={task} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Stack>
          <Facts
            title="Parameters"
            facts={Object.entries(order.params ?? {}).map(([name, value]) => [
              name,
              valueText(value),
            ])}
          />
          <Facts title="Command" facts={[]}>
            <CopyLine line={order.command || (order.argv ?? []).join(" ")} label="Copy command" />
          </Facts>
          <Facts title="Environment" facts={environmentFacts(order)} />
          <Facts title="Data" facts={Object.entries(order.data ?? {})} />
          <Facts title="Code" facts={codeFacts(task)} />
        </Stack>
        <Stack>
          <Results task={task} />
          <Facts title="Resources" facts={resourceFacts(task)} />
          <Facts title="Location" facts={locationFacts(task)}>
            <ShellHint task={task} />
          </Facts>
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}

function locationFacts(task: Task): [string, React.ReactNode][] {
  const facts: [string, React.ReactNode][] = [
    ["Endpoint", <EndpointName key="endpoint" task={task} />],
    ["Node", task.node],
    ["Batch job", task.native_id],
    ["Scheduler state", task.native_state],
    ["Task id", task.id],
    ["Created", <TimeAgo key="created" at={task.created} />],
    ["Updated", <TimeAgo key="as-of" at={task.as_of} />],
    ["Lineage", <LineageLink key="lineage" task={task.id} />],
    ["Retry of", task.retry_of && <TaskLink key="repeats" task={task.retry_of} />],
    ["Secrets", (task.order.secrets ?? []).join(", ")],
  ];
  return facts.filter(([, value]) => value);
}

function LineageLink({ task }: { task: string }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/lineage" search={{ of: task }} {...props} />}
    >
      what it came from, and what used it
    </Anchor>
  );
}

function Results({ task }: { task: Task }) {
  if (task.cleaned) {
    return (
      <Facts title="Results" facts={[]}>
        <Text size="sm">
          The run directory was deleted <TimeAgo at={task.cleaned} /> to free up space. Metrics and
          the saved part of the log are still available. Retry the task to create the results again.
        </Text>
      </Facts>
    );
  }
  if (!task.run_dir) return null;
  return (
    <Facts title="Results" facts={[]}>
      <Stack gap="xs">
        <Text size="sm">
          {task.started === null ? "Output files will be" : "Output files are"} on{" "}
          <b>{task.endpoint}</b>:{" "}
          <Anchor
            underline="always"
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/tasks/$task"
                params={{ task: task.id }}
                search={{ tab: "files" }}
                {...props}
              />
            )}
          >
            browse the files
          </Anchor>
          ,{" "}
          <Anchor underline="always" size="sm" href={`/api/v1/tasks/${task.id}/files.zip`} download>
            download them as a zip file
          </Anchor>
          , or fetch them in a terminal.
        </Text>
        <CopyLine line={`diamond get ${task.id} . results`} />
        <CopyLine line={`${task.run_dir}/run`} label="Copy the folder path" />
      </Stack>
    </Facts>
  );
}
