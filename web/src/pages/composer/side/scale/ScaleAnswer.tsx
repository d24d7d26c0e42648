import { Alert, Button, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconBulb } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { Words } from "~/components/Words";
import { hours } from "~/lib/format";
import { Curves } from "~/scale/Curves";
import { Probes } from "~/scale/Probes";
import { gainOf, headWords, type Probe, type Scale } from "~/scale/words";
import { withValue } from "../../spec/draft";
import { useComposer } from "../../state/context";
import { fromForm } from "../../state/work";

/** What the short runs have told so far, and the advice once they are over. */
export function ScaleAnswer({ scale, isOfThis }: { scale: Scale; isOfThis: boolean }) {
  return (
    <Stack gap="sm" aria-live="polite">
      <div>
        <Title order={2}>{headWords(scale)}</Title>
        <Text size="sm" c="dimmed">
          {isOfThis ? scale.name : `For another job: ${scale.name}`}, at most{" "}
          {hours(scale.node_hours_at_most)} node-hours
        </Text>
      </div>
      <Message scale={scale} />
      <Probes
        scale={scale}
        action={(probe) => isOfThis && <UseSetting scale={scale} probe={probe} />}
      />
      {scale.kind === "nodes" && <Curves scale={scale} />}
      {scale.advice && <Advice advice={scale.advice} isOfThis={isOfThis} />}
      {scale.notes.map((words) => (
        <Text key={words} size="sm" c="dimmed">
          <Words text={words} />
        </Text>
      ))}
    </Stack>
  );
}

/** The advice has a frame of its own, with a button. */
function Message({ scale }: { scale: Scale }) {
  const { state, message, advice } = scale;
  if (!message || message === advice?.words) return null;
  if (state !== "failed")
    return (
      <Text size="sm">
        <Words text={message} />
      </Text>
    );
  return (
    <Alert icon={<IconAlertTriangle aria-hidden />} color="red">
      <Words text={message} />
    </Alert>
  );
}

type AdviceProps = { advice: Schemas["ScaleAdvice"]; isOfThis: boolean };

/** It goes into the form by a button, but not into that of another job. */
function Advice({ advice, isOfThis }: AdviceProps) {
  const use = useInForm();
  return (
    <Alert icon={<IconBulb aria-hidden />} color="teal" title="Recommendation">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <Words text={advice.words} />
        </Text>
        {isOfThis && (
          <Button size="xs" onClick={() => use(advice.params, advice.nodes)}>
            Apply to this job
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A setting that helped goes into the form by itself. */
function UseSetting({ scale, probe }: { scale: Scale; probe: Probe }) {
  const use = useInForm();
  if (scale.kind !== "tune" || !gainOf(scale, probe)?.helps) return null;
  return (
    <Button
      size="compact-xs"
      variant="light"
      ml={8}
      aria-label={`Apply ${probe.label}`}
      onClick={() => use(probe.params)}
    >
      Apply
    </Button>
  );
}

function useInForm() {
  const { draft } = useComposer();
  return (chosen: Record<string, unknown>, nodes?: number) =>
    draft.change((work) => {
      const params = { ...(work.spec.params as object | undefined), ...chosen };
      const sized = nodes ? withValue(work.spec, "resources.nodes", nodes) : work.spec;
      const spec = Object.keys(chosen).length ? withValue(sized, "params", params) : sized;
      return fromForm(work, { spec });
    });
}
