import { Button, List, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Page } from "~/components/Page";
import { useAction } from "~/components/useAction";
import { parseYaml } from "~/jobs/api";
import { faultText } from "~/jobs/faults";
import { randomKey } from "~/lib/randomKey";
import { composePipeline, submitPipeline } from "~/pipelines/api";
import classes from "./PipelineComposer.module.css";
import { PlannedGraph } from "./PlannedGraph";

const YamlEditor = lazy(() => import("~/jobs/YamlEditor"));
const TYPING_PAUSE = 300;
const EXAMPLE = `name: example
pipeline:
  prepare:
    run: echo hello > text
    outputs: {text: text}
  count:
    run: wc -c {prepare.text} > count
    outputs: {count: count}
`;

/** A pipeline as text, with its graph beside it. The service reads and checks it. */
export function PipelineComposer() {
  const [text, setText] = useState(EXAMPLE);
  const [settled] = useDebouncedValue(text, TYPING_PAUSE);
  const key = useRef(randomKey());
  const navigate = useNavigate();
  const parsed = useQuery({
    queryKey: ["spec-parse", settled],
    queryFn: () => parseYaml(settled),
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
  const spec = parsed.data?.spec;
  const composed = useQuery({
    queryKey: ["pipeline-compose", settled],
    queryFn: () => composePipeline(spec ?? {}),
    enabled: Boolean(spec) && !parsed.isPlaceholderData,
    placeholderData: keepPreviousData,
  });
  const submit = useAction({
    call: () => submitPipeline(spec ?? {}, key.current),
    refresh: [keys.pipelines],
    onSuccess: (made) =>
      void navigate({ to: "/pipelines/$pipeline", params: { pipeline: made.id } }),
  });
  const textFaults = parsed.data?.faults ?? [];
  const faults = composed.data?.faults.length ? composed.data.faults : textFaults;
  const isCurrent = settled === text && !composed.isFetching && !parsed.isFetching;
  const error = submit.error ?? composed.error ?? parsed.error;
  return (
    <Page
      title="New pipeline"
      lead="Stages as YAML. Code comes from a git URL with a commit; to send a folder, use diamond run."
      wide
      actions={
        <Button
          disabled={!composed.data?.ok || !isCurrent}
          loading={submit.isPending}
          onClick={() => submit.run()}
        >
          Submit
        </Button>
      }
    >
      {error && <ErrorAlert error={error} />}
      <div className={classes.columns}>
        <div className={classes.editor}>
          <Suspense fallback={<Skeleton height="100%" radius={0} />}>
            <YamlEditor
              text={text}
              faults={textFaults}
              onType={(typed) => {
                key.current = randomKey();
                setText(typed);
              }}
            />
          </Suspense>
        </div>
        <Stack gap="sm">
          <PlannedGraph stages={composed.data?.stages ?? []} />
          <div role="status">
            {faults.length > 0 ? (
              <List size="sm">
                {faults.map((fault) => (
                  <List.Item key={`${fault.field} ${fault.message}`}>
                    <strong>{fault.field}</strong>: {faultText(fault)}
                  </List.Item>
                ))}
              </List>
            ) : (
              <Text size="sm" c="dimmed">
                {composed.data?.ok ? "No errors. Nothing runs until you submit." : "Checking…"}
              </Text>
            )}
          </div>
          {composed.data?.warnings.map((warning) => (
            <Text key={warning} size="sm" c="dimmed">
              {warning}
            </Text>
          ))}
        </Stack>
      </div>
    </Page>
  );
}
