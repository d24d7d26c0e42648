import { Anchor, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { keys } from "~/api/queryKeys";
import { BackLink } from "~/components/BackLink";
import { LoadingPage } from "~/components/LoadingPage";
import { Page } from "~/components/Page";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { count } from "~/lib/format";
import { meQuery } from "~/people/me";
import {
  cancelPipeline,
  type PipelineDetail,
  pipelineQuery,
  retryPipeline,
  runAgain,
} from "~/pipelines/api";
import { countsText } from "~/pipelines/counts";
import { PipelineGraph } from "~/pipelines/PipelineGraph";
import { StepBadge } from "~/pipelines/StepBadge";
import { pilotText } from "~/pipelines/words";
import { pipelineSharing } from "~/sharing/api";
import { ShareDialog } from "~/sharing/ShareDialog";
import { PipelineTimeline } from "./PipelineTimeline";
import { StageSteps } from "./StageSteps";

export function PipelinePage() {
  const { pipeline: id } = useParams({ from: "/pipelines/$pipeline" });
  const query = useQuery(pipelineQuery(id));
  if (query.data) return <LoadedPipeline pipeline={query.data} />;
  return (
    <LoadingPage
      title="Pipeline"
      query={query}
      back={<BackLink to="/pipelines" label="All pipelines" />}
    />
  );
}

function LoadedPipeline({ pipeline }: { pipeline: PipelineDetail }) {
  const navigate = useNavigate({ from: "/pipelines/$pipeline" });
  const { stage: chosen = "" } = useSearch({ from: "/pipelines/$pipeline" });
  const choose = useCallback(
    (stage: string) => void navigate({ search: { stage }, replace: true }),
    [navigate],
  );
  const again = useAction({
    call: (stage: string) => runAgain(pipeline.id, [stage]),
    refresh: [keys.pipelines],
    success: "Submitted as a new pipeline",
    onSuccess: (made) =>
      void navigate({ to: "/pipelines/$pipeline", params: { pipeline: made.id } }),
    onError: showError,
  });
  const stage = pipeline.stages.find(({ name }) => name === chosen) ?? pipeline.stages[0];
  return (
    <Page
      title={pipeline.name}
      wide
      lead={
        <>
          <StepBadge state={pipeline.state} /> submitted <TimeAgo at={pipeline.created} />,{" "}
          {countsText(pipeline.counts)}
        </>
      }
      actions={<Actions pipeline={pipeline} />}
    >
      <Stack gap="md">
        {pipeline.message && <Text size="sm">{pipeline.message}</Text>}
        <PipelineGraph stages={pipeline.stages} chosen={stage?.name ?? ""} choose={choose} />
        {stage && (
          <StageSteps
            stage={stage}
            onAgain={() => again.run(stage.name)}
            isBusy={again.isPending}
          />
        )}
        {pipeline.pilots.length > 0 && <UsedPilots pilots={pipeline.pilots} />}
        <Card>
          <Title order={2} mb="xs">
            Timeline
          </Title>
          <PipelineTimeline pipeline={pipeline} />
        </Card>
      </Stack>
    </Page>
  );
}

/** The allocations of the pipeline: the timeline of each has what ran in it, and how well it was used. */
function UsedPilots({ pilots }: Pick<PipelineDetail, "pilots">) {
  return (
    <Card component="section" aria-label="Allocations">
      <Title order={2} mb="xs">
        Allocations
      </Title>
      <Stack gap={4}>
        {pilots.map((pilot) => (
          <Text key={pilot.id} size="sm" style={{ overflowWrap: "anywhere" }}>
            <Anchor
              renderRoot={(props) => (
                <Link to="/pilots/$pilot" params={{ pilot: pilot.id }} {...props} />
              )}
            >
              {pilot.id.slice(0, 8)}
            </Anchor>{" "}
            on {count(pilot.nodes, "node")}, {pilotText(pilot)}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}

/** What its owner can do; others only look. */
function Actions({ pipeline }: { pipeline: PipelineDetail }) {
  const { data: me } = useQuery(meQuery);
  if (!me || me.id !== pipeline.owner) return null;
  return (
    <Group gap="xs">
      {me.mode === "shared" && <ShareButton pipeline={pipeline} />}
      <CancelOrRetry pipeline={pipeline} />
    </Group>
  );
}

function ShareButton({ pipeline }: { pipeline: PipelineDetail }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        Share
      </Button>
      {isOpen && (
        <ShareDialog
          title={`Share ${pipeline.name}`}
          about="Others can see its stages, and the logs, curves and results of their tasks. They cannot change it or run anything as you."
          name={pipeline.id}
          sharing={pipelineSharing(pipeline.id)}
          onClose={close}
        />
      )}
    </>
  );
}

function CancelOrRetry({ pipeline }: { pipeline: PipelineDetail }) {
  const cancel = useAction({
    call: () => cancelPipeline(pipeline.id),
    refresh: [keys.pipelines],
    onError: showError,
  });
  const retry = useAction({
    call: () => retryPipeline(pipeline.id, []),
    refresh: [keys.pipelines],
    onError: showError,
  });
  if (pipeline.state === "running") {
    return (
      <Button variant="default" onClick={() => cancel.run()} loading={cancel.isPending}>
        Cancel
      </Button>
    );
  }
  if (pipeline.state === "succeeded") return null;
  return (
    <Button onClick={() => retry.run()} loading={retry.isPending}>
      Retry what failed
    </Button>
  );
}
