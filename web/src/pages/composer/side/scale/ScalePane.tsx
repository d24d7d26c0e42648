import { Anchor, Button, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { bodyOf } from "~/jobs/work";
import { randomKey } from "~/lib/randomKey";
import { useComposer } from "../../state/context";
import { GoalField } from "./GoalField";
import { ScaleResult } from "./ScaleResult";
import { isForJob, parseNodeCounts, type ScaleStart, scaleStart } from "./scaleStart";

/** Short test runs of this job: how many nodes are worth it, or which settings. */
export function ScalePane() {
  const { draft } = useComposer();
  const [started, setStarted] = useSessionStorage<ScaleStart | null>({
    key: "scale-started",
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const { spec } = draft.work;
  return (
    <Stack p="md" gap="md">
      <StartForm onStarted={(id) => setStarted(scaleStart(id, spec))} />
      {started && (
        <StartedScale
          scale={started.id}
          isThisJob={isForJob(started, spec)}
          forget={() => setStarted(null)}
        />
      )}
    </Stack>
  );
}

function StartForm({ onStarted }: { onStarted: (scale: string) => void }) {
  const [nodes, setNodes] = useState("1, 2, 4");
  const [goal, setGoal] = useState("soonest");
  const [tune, setTune] = useState(false);
  const sizes = tune ? [] : parseNodeCounts(nodes);
  const start = useStart({ nodes: sizes ?? [], goal, tune }, onStarted);
  return (
    <section aria-labelledby="scale-title">
      <Title order={2} id="scale-title" mb={4}>
        Test runs
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Short runs measure a few steps of this job at different sizes. Each stops after ten minutes
        at most. The job must log its steps.
      </Text>
      <Stack gap="sm">
        <TextInput
          label="Node counts"
          description="Separated by commas. Default: 1, 2 and 4, if that many nodes are available."
          error={sizes === null && "Enter whole numbers greater than zero, such as 1, 2, 4."}
          inputWrapperOrder={["label", "input", "description", "error"]}
          disabled={tune}
          value={nodes}
          onChange={(event) => setNodes(event.currentTarget.value)}
        />
        <GoalField value={goal} onChange={setGoal} disabled={tune} />
        <Switch
          label="Test settings on one node instead: precision, batch size, loader workers"
          checked={tune}
          onChange={(event) => setTune(event.currentTarget.checked)}
        />
        {start.error && <ErrorAlert error={start.error} />}
        <Group>
          <Button
            variant="default"
            disabled={sizes === null}
            loading={start.isPending}
            onClick={() => start.mutate()}
          >
            Start test runs
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

type ScaleOptions = { nodes: number[]; goal: string; tune: boolean };

function useStart(options: ScaleOptions, onStarted: (scale: string) => void) {
  const { draft } = useComposer();
  const rest = { steps: 30, minutes: 10, batch_param: "", accumulate_param: "", together: false };
  return useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/scales", {
          params: { header: { "Idempotency-Key": randomKey() } },
          body: { ...bodyOf(draft.work), ...options, ...rest },
        }),
      ),
    onSuccess: ({ id }) => onStarted(id),
  });
}

type StartedScaleProps = { scale: string; isThisJob: boolean; forget: () => void };

function StartedScale({ scale, isThisJob, forget }: StartedScaleProps) {
  const query = useQuery({
    queryKey: keys.scale(scale),
    queryFn: () => dataOf(api.GET("/api/v1/scales/{scale}", { params: { path: { scale } } })),
  });
  const stop = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/v1/scales/{scale}/cancel", { params: { path: { scale } } })),
    onSettled: () => void query.refetch(),
  });
  return (
    <QueryResult query={query}>
      {(scale) => (
        <>
          <ScaleResult scale={scale} isThisJob={isThisJob} />
          <Group gap="sm">
            {scale.state === "running" ? (
              <Button
                size="xs"
                variant="default"
                loading={stop.isPending}
                onClick={() => stop.mutate()}
              >
                Stop test runs
              </Button>
            ) : (
              <Anchor component="button" type="button" size="sm" onClick={forget}>
                Dismiss
              </Anchor>
            )}
          </Group>
        </>
      )}
    </QueryResult>
  );
}
