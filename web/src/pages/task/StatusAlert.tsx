import { Alert, Anchor, Box, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconClock, IconCloudOff, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fetchRaw, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { CopyLine } from "~/components/CopyLine";
import { MessageText } from "~/components/MessageText";
import { TimeAgo } from "~/components/Time";
import { endpointsQuery } from "~/endpoints/queries";
import { plainText } from "~/output/ansi";
import { isOver } from "~/tasks/state";
import { FailureAdvice } from "./FailureAdvice";
import { logsQuery } from "./queries";
import classes from "./TaskPage.module.css";

const STATES: Record<string, { title: string; color: string; icon: typeof IconClock }> = {
  preparing: { title: "Preparing", color: "grape", icon: IconInfoCircle },
  pending: { title: "Why it is waiting", color: "yellow", icon: IconClock },
  running: { title: "Status", color: "blue", icon: IconInfoCircle },
  succeeded: { title: "How it ended", color: "teal", icon: IconInfoCircle },
  failed: { title: "Why it failed", color: "red", icon: IconAlertCircle },
  cancelled: { title: "Why it ended", color: "gray", icon: IconInfoCircle },
};

/** Why the task is waiting or how it ended, from the service, with the last lines of the log after a failure. */
export function StatusAlert({ task }: { task: Task }) {
  const alert = STATES[task.state];
  return (
    <>
      <EndpointOffline task={task} />
      {alert && task.message && (
        <Alert
          color={alert.color}
          icon={<alert.icon />}
          title={alert.title}
          className={classes.why}
          data-state={task.state}
          role="status"
        >
          <Text size="sm" className={classes.message}>
            <MessageText text={sentence(task.message)} />
          </Text>
          <BuildLink task={task} />
          {isOver(task) && task.state !== "succeeded" && <FailureAdvice task={task} />}
          {task.state === "failed" && <LastLines task={task} />}
        </Alert>
      )}
    </>
  );
}

/** The image build that the task waits for or failed with. */
function BuildLink({ task }: { task: Task }) {
  const build = task.awaits;
  if (!build?.startsWith("t")) return null;
  return (
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(props) => <Link to="/build/$task" params={{ task: build }} {...props} />}
    >
      View image build
    </Anchor>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With the endpoint offline, the state is old but not wrong. */
function EndpointOffline({ task }: { task: Task }) {
  const { data } = useQuery(endpointsQuery);
  const endpoint = data?.items.find((candidate) => candidate.name === task.endpoint);
  if (!endpoint || endpoint.state === "online" || isOver(task)) return null;
  return (
    <Alert color="gray" icon={<IconCloudOff />} title={`${endpoint.name} is offline`} mb="md">
      <Stack gap="xs">
        <Text size="sm">
          Last updated <TimeAgo at={task.as_of} />. The job keeps running; this page updates once
          the endpoint is back online.
        </Text>
        {endpoint.revive && <CopyLine line={endpoint.revive} />}
      </Stack>
    </Alert>
  );
}

const TAIL_BYTES = 2_000;
const TAIL_LINES = 8;

function LastLines({ task }: { task: Task }) {
  const logs = useQuery(logsQuery(task.id)).data?.items ?? [];
  const ofAttempt = logs.filter((log) => log.attempt === task.attempt && log.size > 0);
  const stream = ["stderr", "stdout"].find((name) => ofAttempt.some((log) => log.stream === name));
  const { data } = useQuery({
    queryKey: [...keys.logs(task.id), "last-lines", stream],
    queryFn: () => readLastLines(task.id, stream ?? "stdout"),
    enabled: stream !== undefined,
    retry: false,
  });
  if (!data || !stream) return null;
  return (
    <Box mt="sm">
      <Text size="xs" c="dimmed" mb={4}>
        Last lines of {stream === "stderr" ? "errors" : "output"} (
        <Anchor
          underline="always"
          size="xs"
          renderRoot={(props) => (
            <Link
              to="/tasks/$task"
              params={{ task: task.id }}
              search={{ tab: "log", stream: stream as "stdout" | "stderr" }}
              {...props}
            />
          )}
        >
          full log
        </Anchor>
        )
      </Text>
      <pre className={classes.lines}>{data}</pre>
    </Box>
  );
}

async function readLastLines(task: string, stream: string): Promise<string> {
  const answer = await fetchRaw(`/api/v1/tasks/${task}/logs/${stream}?offset=-${TAIL_BYTES}`);
  const lines = plainText(await answer.text())
    .trimEnd()
    .split("\n");
  return lines.slice(-TAIL_LINES).join("\n");
}
