import { Alert, Anchor, Button, Loader, Stack, Table, Text, Title } from "@mantine/core";
import { IconBulb } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Schemas } from "~/api/client";
import { Lines } from "~/components/Answer";
import { figure } from "~/lib/format";
import { withValue } from "../../spec/draft";
import { useComposer } from "../../state/context";
import { fromForm } from "../../state/work";
import { curvesOf, probeWords } from "./words";

type Scale = Schemas["Scale"];
// Charts weigh more than the rest of the form.
const Chart = lazy(() => import("~/charts/Chart").then(({ Chart }) => ({ default: Chart })));
const nothing = () => undefined;

/** What the short runs have told so far, and the advice once they are over. */
export function ScaleAnswer({ scale, isOfThis }: { scale: Scale; isOfThis: boolean }) {
  const curves = curvesOf(scale);
  return (
    <Stack gap="sm" aria-live="polite">
      <Title order={2}>
        {scale.state === "running" ? "Measuring" : `Measured on ${scale.endpoint}`}
      </Title>
      <Text size="sm" c="dimmed">
        {isOfThis ? scale.name : `Of another job: ${scale.name}`}
      </Text>
      {scale.message && <Text size="sm">{scale.message}</Text>}
      <Probes scale={scale} />
      {curves.length > 0 && (
        <Suspense fallback={<Lines count={3} />}>
          <Chart
            label="Throughput over machines"
            curves={curves}
            axis="step"
            log={false}
            smooth={0}
            range={null}
            fromZero
            height={200}
            onRange={nothing}
          />
        </Suspense>
      )}
      {scale.advice && <Advice advice={scale.advice} isOfThis={isOfThis} />}
      <Gains gains={scale.gains} />
      {scale.notes.map((words) => (
        <Text key={words} size="sm" c="dimmed">
          {words}
        </Text>
      ))}
    </Stack>
  );
}

function Probes({ scale }: { scale: Scale }) {
  return (
    <Table verticalSpacing={4} horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Run</Table.Th>
          <Table.Th>Gave</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {scale.probes.map((probe) => (
          <Table.Tr key={probe.label}>
            <Table.Td>
              <Name probe={probe} />
              {probe.changed && (
                <Text size="xs" c="dimmed">
                  {probe.changed}
                </Text>
              )}
            </Table.Td>
            <Table.Td>
              {probe.state === "running" && <Loader size={12} mr={6} aria-hidden />}
              {probeWords(probe, scale.unit)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Name({ probe }: { probe: Schemas["ScaleProbe"] }) {
  if (!probe.task) return <>{probe.label}</>;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task: probe.task }} {...props} />}
    >
      {probe.label}
    </Anchor>
  );
}

type AdviceProps = { advice: Schemas["ScaleAdvice"]; isOfThis: boolean };

/** It goes into the form by a button, but not into that of another job. */
function Advice({ advice, isOfThis }: AdviceProps) {
  const { draft } = useComposer();
  const use = () =>
    draft.change((work) => {
      const params = { ...(work.spec.params as object | undefined), ...advice.params };
      const sized = withValue(work.spec, "resources.nodes", advice.nodes);
      const spec = Object.keys(advice.params).length ? withValue(sized, "params", params) : sized;
      return fromForm(work, { spec });
    });
  return (
    <Alert icon={<IconBulb aria-hidden />} color="teal" title="Advice">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{advice.words}</Text>
        {isOfThis && (
          <Button size="xs" onClick={use}>
            Use it in this job
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Gains({ gains }: { gains: Schemas["ScaleGain"][] }) {
  return gains.map((gain) => (
    <Text key={gain.change} size="sm">
      <b>{figure(gain.factor)}×</b> {gain.words}
    </Text>
  ));
}
