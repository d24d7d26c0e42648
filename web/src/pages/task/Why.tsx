import { Alert, Anchor, Box, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconClock, IconCloudOff, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fetchRaw, type Task } from "~/api/client";
import { endpointsQuery, keys } from "~/api/queries";
import { CopyLine } from "~/components/CopyLine";
import { Ago } from "~/components/Time";
import { Words } from "~/components/Words";
import { plain } from "./log/ansi";
import { logsQuery } from "./queries";
import classes from "./TaskPage.module.css";
import { isOver } from "./words";

const LOOKS: Record<string, { title: string; color: string; icon: typeof IconClock }> = {
  preparing: { title: "Preparing", color: "grape", icon: IconInfoCircle },
  pending: { title: "Why it is waiting", color: "yellow", icon: IconClock },
  running: { title: "Status", color: "blue", icon: IconInfoCircle },
  succeeded: { title: "How it ended", color: "teal", icon: IconInfoCircle },
  failed: { title: "Why it failed", color: "red", icon: IconAlertCircle },
  cancelled: { title: "Why it ended", color: "gray", icon: IconInfoCircle },
};

/** Why it waits or how it ended, in the service's words, with the last lines of the log where they may tell. */
export function Why({ task }: { task: Task }) {
  const look = LOOKS[task.state];
  return (
    <>
      <Away task={task} />
      {look && task.message && (
        <Alert
          color={look.color}
          icon={<look.icon />}
          title={look.title}
          className={classes.why}
          data-state={task.state}
          role="status"
        >
          <Text size="sm" className={classes.message}>
            <Words text={sentence(task.message)} />
          </Text>
          <Awaited task={task} />
          {task.state === "failed" && <LastLines task={task} />}
        </Alert>
      )}
    </>
  );
}

/** The build of its image, while it waits for that, or when it failed with it. */
function Awaited({ task }: { task: Task }) {
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

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** When the endpoint is away the state is old, not wrong. */
function Away({ task }: { task: Task }) {
  const { data } = useQuery(endpointsQuery);
  const endpoint = data?.items.find((one) => one.name === task.endpoint);
  if (!endpoint || endpoint.state === "online" || isOver(task)) return null;
  return (
    <Alert color="gray" icon={<IconCloudOff />} title={`${endpoint.name} is offline`} mb="md">
      <Stack gap="xs">
        <Text size="sm">
          Last updated <Ago at={task.as_of} />. The job keeps running; this page updates once the
          endpoint is back online.
        </Text>
        {endpoint.revive && <CopyLine line={endpoint.revive} />}
      </Stack>
    </Alert>
  );
}

const LAST_BYTES = 2_000;
const LAST_LINES = 8;

function LastLines({ task }: { task: Task }) {
  const logs = useQuery(logsQuery(task.id)).data?.items ?? [];
  const ofAttempt = logs.filter((log) => log.attempt === task.attempt && log.size > 0);
  const stream = ["stderr", "stdout"].find((name) => ofAttempt.some((log) => log.stream === name));
  const { data } = useQuery({
    queryKey: [...keys.printed(task.id), "last-lines", stream],
    queryFn: () => lastLines(task.id, stream ?? "stdout"),
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

async function lastLines(task: string, stream: string): Promise<string> {
  const answer = await fetchRaw(`/api/v1/tasks/${task}/logs/${stream}?offset=-${LAST_BYTES}`);
  const lines = plain(await answer.text())
    .trimEnd()
    .split("\n");
  return lines.slice(-LAST_LINES).join("\n");
}
