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
import { Dependencies } from "./Dependencies";
import { EndpointName } from "./EndpointName";
import { Facts } from "./Facts";
import { Latest } from "./Latest";
import { historyQuery } from "./queries";
import { Runs } from "./Runs";
import { Timeline } from "./Timeline";
import { codeFacts, environmentFacts, resourceFacts, valueText } from "./words";

/** What happened, what it ran with, and where its results are. */
export function Overview({ task }: { task: Task }) {
  const history = useQuery(historyQuery(task.id));
  const { order } = task;
  return (
    <Stack>
      <Card component="section" aria-label="What happened">
        <Title order={2} mb="xs">
          What happened
        </Title>
        <Answer query={history} loading={<Lines count={2} height={24} />}>
          {({ items }) => <Timeline task={task} history={items} />}
        </Answer>
      </Card>
      <Dependencies task={task} />
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
            <CopyLine
              line={order.command || (order.argv ?? []).join(" ")}
              label="Copy the command"
            />
          </Facts>
          <Facts title="Environment" facts={environmentFacts(order)} />
          <Facts title="Data" facts={Object.entries(order.data ?? {})} />
          <Facts title="Code" facts={codeFacts(task)} />
        </Stack>
        <Stack>
          <Results task={task} />
          <Facts title="Resources" facts={resourceFacts(task)} />
          <Facts title="Where" facts={whereFacts(task)} />
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
    ["The scheduler says", task.native_state],
    ["Task", task.id],
    ["Created", <Ago key="created" at={task.created} />],
    ["Known as of", <Ago key="as-of" at={task.as_of} />],
    ["Repeats", task.retry_of && <TaskLink key="repeats" task={task.retry_of} />],
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
          The run directory was removed <Ago at={task.cleaned} /> to make room. Metrics, and what
          was kept of the log, are still here; a retry makes the rest anew.
        </Text>
      </Facts>
    );
  }
  if (!task.run_dir) return null;
  return (
    <Facts title="Results" facts={[]}>
      <Stack gap="xs">
        <Text size="sm">
          {task.started === null ? "What the program writes is" : "Everything the program wrote is"}{" "}
          on <b>{task.endpoint}</b>:{" "}
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
            look at the files
          </Anchor>
          , or fetch them in a terminal.
        </Text>
        <CopyLine line={`diamond get ${task.id}`} />
        <CopyLine line={`${task.run_dir}/run`} label="Copy the folder's path" />
      </Stack>
    </Facts>
  );
}
