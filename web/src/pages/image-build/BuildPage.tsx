import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { Elapsed, TimeAgo } from "~/components/Time";
import { type Build, buildQuery } from "~/images/api";
import { useTaskOutput } from "~/live/hooks";
import { refetch } from "~/live/refetch";
import { useThrottle } from "~/live/useThrottle";
import { StateChip } from "~/tasks/StateBadge";
import { isOver } from "~/tasks/state";
import classes from "./Build.module.css";
import { CancelBuild } from "./CancelBuild";
import { Debugger } from "./Debugger";
import { Definition } from "./Definition";
import { Outcome } from "./Outcome";
import { Steps } from "./Steps";

const REFETCH_INTERVAL = 400;

/** A build in progress: live steps, the result, or what failed and how to resume. */
export function BuildPage() {
  const { task } = useParams({ from: "/build/$task" });
  const query = useQuery(buildQuery(task));
  if (query.data) return <LoadedBuild key={query.data.task.id} build={query.data} />;
  return (
    <Page title="Build">
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {() => null}
      </QueryResult>
    </Page>
  );
}

function LoadedBuild({ build }: { build: Build }) {
  const { task } = build;
  useLiveSteps(build);
  return (
    <Page
      title={`Build ${build.name}`}
      tab={`${task.state}: build ${build.name}`}
      lead={<Lead build={build} />}
      actions={<Actions build={build} />}
      wide
    >
      <div className={classes.columns}>
        <Stack gap="md">
          <Outcome build={build} />
          {build.failure && <Debugger key={task.id} build={build} failure={build.failure} />}
          <Steps build={build} />
        </Stack>
        <Definition build={build} />
      </div>
    </Page>
  );
}

/** Refetches the build whenever it reports a step; the last report may arrive after its end. */
function useLiveSteps({ task }: Build): void {
  const queries = useQueryClient();
  const refetchBuild = useThrottle(REFETCH_INTERVAL, () => {
    refetch(queries, keys.build(task.id));
  });
  useTaskOutput(task.id, {
    onLog: (piece) => piece.stream === "steps" && refetchBuild(),
  });
}

function Lead({ build }: { build: Build }) {
  const { task } = build;
  return (
    <Stack gap={2} mt={4}>
      <Group gap="sm">
        <StateChip task={task} />
        <Text size="sm">
          on {task.endpoint}
          {build.runtime && ` with ${build.runtime}`}
        </Text>
        {task.started !== null && (
          <Text size="sm">
            {task.ended ? "took" : "for"} <Elapsed from={task.started} to={task.ended} />
          </Text>
        )}
        <Text size="sm">
          {task.ended ? "ended" : "started"} <TimeAgo at={task.ended ?? task.created} />
        </Text>
        {build.resumed_from && (
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => (
              <Link to="/build/$task" params={{ task: build.resumed_from ?? "" }} {...props} />
            )}
          >
            resumed from {build.resumed_from.slice(0, 8)}
          </Anchor>
        )}
      </Group>
      {build.route && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {build.route}
        </Text>
      )}
    </Stack>
  );
}

function Actions({ build }: { build: Build }) {
  const { task } = build;
  return (
    <>
      {!isOver(task) && <CancelBuild build={build} />}
      <Button
        variant="default"
        leftSection={<IconFileText size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link to="/tasks/$task" params={{ task: task.id }} search={{ tab: "log" }} {...props} />
        )}
      >
        Full log
      </Button>
    </>
  );
}
