import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { BackLink } from "~/components/BackLink";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Facts } from "~/components/Facts";
import { Page } from "~/components/Page";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { duration } from "~/lib/format";
import { type Pilot, pilotQuery, stopPilot } from "~/pilots/api";
import { insideText, isOver, sizeText, stateText } from "~/pilots/words";
import { StepBadge } from "~/pipelines/StepBadge";
import { TaskLink } from "~/tasks/TaskLink";
import { PilotTimeline } from "./PilotTimeline";

export function PilotPage() {
  const { pilot: id } = useParams({ from: "/pilots/$pilot" });
  const query = useQuery(pilotQuery(id));
  if (query.data) return <LoadedPilot pilot={query.data} />;
  return (
    <Page title="Pilot">
      {query.error ? (
        <>
          <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
          <BackLink to="/pilots" label="All pilots" />
        </>
      ) : (
        <div aria-busy="true">
          <SkeletonLines count={6} height={44} />
        </div>
      )}
    </Page>
  );
}

function LoadedPilot({ pilot }: { pilot: Pilot }) {
  return (
    <Page
      title={pilot.name}
      wide
      lead={
        <>
          <StepBadge state={pilot.state} text={stateText(pilot)} /> {sizeText(pilot)}, started{" "}
          <TimeAgo at={pilot.created} />
        </>
      }
      actions={isOver(pilot) ? undefined : <Actions pilot={pilot} />}
    >
      <Stack gap="md">
        {pilot.message && <Text size="sm">{pilot.message}</Text>}
        <Facts title="Allocation" facts={factsOf(pilot)} />
        <PilotTimeline pilot={pilot} />
      </Stack>
    </Page>
  );
}

function factsOf(pilot: Pilot): [string, React.ReactNode][] {
  const where = [pilot.endpoint, pilot.partition].filter(Boolean).join("/");
  const facts: [string, React.ReactNode][] = [
    ["Where", where],
    ["Time limit", duration(60 * pilot.walltime_minutes)],
    ["Released when idle for", duration(pilot.idle_seconds)],
    ["Allocations so far", pilot.allocations],
    ["Tasks", insideText(pilot.counts)],
    ["Task", <TaskLink key="task" task={pilot.id} />],
  ];
  if (pilot.until) facts.splice(2, 0, ["Time left", duration(pilot.until - Date.now() / 1000)]);
  if (pilot.account) facts.push(["Account", pilot.account]);
  if (pilot.pipeline) facts.push(["Started by", <PipelineLink key="by" id={pilot.pipeline} />]);
  if (pilot.study) facts.push(["Runs trials of", <StudyLink key="of" id={pilot.study} />]);
  return facts;
}

function StudyLink({ id }: { id: string }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/studies/$study" params={{ study: id }} {...props} />}
    >
      a study
    </Anchor>
  );
}

function PipelineLink({ id }: { id: string }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link to="/pipelines/$pipeline" params={{ pipeline: id }} {...props} />
      )}
    >
      a pipeline
    </Anchor>
  );
}

function Actions({ pilot }: { pilot: Pilot }) {
  const stop = useAction({
    call: (now: boolean) => stopPilot(pilot.id, now),
    refresh: [keys.pilots],
    onError: showError,
  });
  return (
    <Group gap="xs">
      {!pilot.is_closing && (
        <Button variant="default" onClick={() => stop.run(false)} loading={stop.isPending}>
          Release when idle
        </Button>
      )}
      <Button variant="default" onClick={() => stop.run(true)} loading={stop.isPending}>
        Cancel all
      </Button>
    </Group>
  );
}
