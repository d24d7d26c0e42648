import { Anchor, Card, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { Answer, Lines } from "~/components/Answer";
import { CopyLine } from "~/components/CopyLine";
import { Ago } from "~/components/Time";
import { Chain } from "./chain/Chain";
import { Foretold } from "./chain/Foretold";
import { ShortRuns } from "./chain/ShortRuns";
import { EndpointName } from "./EndpointName";
import { Facts } from "./Facts";
import { Latest } from "./Latest";
import { historyQuery } from "./queries";
import { Runs } from "./Runs";
import { Timeline } from "./Timeline";
import { codeFacts, environmentFacts, resourceFacts, valueText } from "./words";

/** Timeline, what it ran with, and where its results are. */
export function Overview({ task }: { task: Task }) {
  const history = useQuery(historyQuery(task.id));
  const { order } = task;
  return (
    <Stack>
      <Card component="section" aria-label="Timeline">
        <Title order={2} mb="xs">
          Timeline
        </Title>
        <Answer query={history} loading={<Lines count={2} height={24} />}>
          {({ items }) => <Timeline task={task} history={items} />}
        </Answer>
      </Card>
      <Runs task={task} />
      <ShortRuns task={task} />
      <Chain task={task} />
      <Foretold task={task} />
      <Latest task={task} />
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
          <Facts title="Location" facts={whereFacts(task)} />
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}

function whereFacts(task: Task): [string, React.ReactNode][] {
  const facts: [string, React.ReactNode][] = [
    ["Endpoint", <EndpointName key="endpoint" task={task} />],
    ["Node", task.node],
    ["Batch job", task.native_id],
    ["Scheduler state", task.native_state],
    ["Task id", task.id],
    ["Created", <Ago key="created" at={task.created} />],
    ["Updated", <Ago key="as-of" at={task.as_of} />],
    ["Retry of", task.retry_of && <TaskLink key="repeats" task={task.retry_of} />],
    ["Secrets", (task.order.secrets ?? []).join(", ")],
  ];
  return facts.filter(([, value]) => value);
}

function TaskLink({ task }: { task: string }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task }} {...props} />}
    >
      {task.slice(0, 8)}
    </Anchor>
  );
}

function Results({ task }: { task: Task }) {
  if (task.cleaned) {
    return (
      <Facts title="Results" facts={[]}>
        <Text size="sm">
          The run directory was deleted <Ago at={task.cleaned} /> to free up space. Metrics and the
          saved part of the log are still available. Retry the task to create the results again.
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
          , or download them in a terminal.
        </Text>
        <CopyLine line={`diamond get ${task.id}`} />
        <CopyLine line={`${task.run_dir}/run`} label="Copy the folder path" />
      </Stack>
    </Facts>
  );
}
