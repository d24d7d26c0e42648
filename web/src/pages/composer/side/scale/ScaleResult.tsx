import { Alert, Button, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconBulb } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { withValue } from "~/jobs/spec/draft";
import { fromForm } from "~/jobs/work";
import { formatHours } from "~/lib/format";
import { ProbeTable } from "~/planning/ProbeTable";
import { ScalingChart } from "~/planning/ScalingChart";
import { gainOf, type Probe, type Scale, scaleTitle } from "~/planning/scaling";
import { useComposer } from "../../state/context";

/** The results of the test runs so far, and a recommendation at the end. */
export function ScaleResult({ scale, isThisJob }: { scale: Scale; isThisJob: boolean }) {
  return (
    <Stack gap="sm" aria-live="polite">
      <div>
        <Title order={2}>{scaleTitle(scale)}</Title>
        <Text size="sm" c="dimmed">
          {isThisJob ? scale.name : `For another job: ${scale.name}`}, at most{" "}
          {formatHours(scale.node_hours_at_most)} node-hours
        </Text>
      </div>
      <ScaleMessage scale={scale} />
      <ProbeTable
        scale={scale}
        action={(probe) => isThisJob && <ApplyButton scale={scale} probe={probe} />}
      />
      {scale.kind === "nodes" && <ScalingChart scale={scale} />}
      {scale.advice && <Recommendation advice={scale.advice} isThisJob={isThisJob} />}
      {scale.notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          <MessageText text={note} />
        </Text>
      ))}
    </Stack>
  );
}

/** The recommendation has its own box with a button. */
function ScaleMessage({ scale }: { scale: Scale }) {
  const { state, message, advice } = scale;
  if (!message || message === advice?.words) return null;
  if (state !== "failed")
    return (
      <Text size="sm">
        <MessageText text={message} />
      </Text>
    );
  return (
    <Alert icon={<IconAlertTriangle aria-hidden />} color="red">
      <MessageText text={message} />
    </Alert>
  );
}

type RecommendationProps = { advice: Schemas["ScaleAdvice"]; isThisJob: boolean };

/** Can be applied to the form, but not to another job's. */
function Recommendation({ advice, isThisJob }: RecommendationProps) {
  const apply = useApplyToForm();
  return (
    <Alert icon={<IconBulb aria-hidden />} color="teal" title="Recommendation">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <MessageText text={advice.words} />
        </Text>
        {isThisJob && (
          <Button size="xs" onClick={() => apply(advice.params, advice.nodes)}>
            Apply to this job
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Applies a single setting that helped. */
function ApplyButton({ scale, probe }: { scale: Scale; probe: Probe }) {
  const apply = useApplyToForm();
  if (scale.kind !== "tune" || !gainOf(scale, probe)?.helps) return null;
  return (
    <Button
      size="compact-xs"
      variant="light"
      ml={8}
      aria-label={`Apply ${probe.label}`}
      onClick={() => apply(probe.params)}
    >
      Apply
    </Button>
  );
}

function useApplyToForm() {
  const { draft } = useComposer();
  return (chosen: Record<string, unknown>, nodes?: number) =>
    draft.change((work) => {
      const params = { ...(work.spec.params as object | undefined), ...chosen };
      const sized = nodes ? withValue(work.spec, "resources.nodes", nodes) : work.spec;
      const spec = Object.keys(chosen).length ? withValue(sized, "params", params) : sized;
      return fromForm(work, { spec });
    });
}
