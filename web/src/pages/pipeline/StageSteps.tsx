import { Anchor, Button, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatBytes } from "~/lib/format";
import type { Stage, Step } from "~/pipelines/api";
import { StepBadge } from "~/pipelines/StepBadge";
import { lostText } from "~/pipelines/words";

type StageProps = { stage: Stage; onAgain: () => void; isBusy: boolean };

/** One stage: its steps with their tasks, messages and outputs. */
export function StageSteps({ stage, onAgain, isBusy }: StageProps) {
  return (
    <Card component="section" aria-label={`Stage ${stage.name}`}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{stage.name}</Title>
        <Button variant="default" size="xs" onClick={onAgain} loading={isBusy}>
          Run again from here
        </Button>
      </Group>
      {stage.when && (
        <Text size="sm" c="dimmed">
          Runs only if {stage.when}
        </Text>
      )}
      {stage.steps.length ? (
        <StepTable steps={stage.steps} />
      ) : (
        <Text size="sm" c="dimmed">
          The steps appear here when {stage.parents.join(", ")} is done.
        </Text>
      )}
    </Card>
  );
}

function StepTable({ steps }: { steps: Step[] }) {
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Step</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Task</Table.Th>
            <Table.Th>Outputs</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {steps.map((step) => (
            <Table.Tr key={step.n}>
              <Table.Td>{step.label || "–"}</Table.Td>
              <Table.Td>
                <Stack gap={4}>
                  <div>
                    <StepBadge state={step.state} />
                  </div>
                  {step.lost > 0 && (
                    <Text size="xs" c="dimmed">
                      {lostText(step.lost)}
                    </Text>
                  )}
                  {step.message && (
                    <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                      {step.message}
                    </Text>
                  )}
                </Stack>
              </Table.Td>
              <Table.Td>
                <TaskLink step={step} />
                <PilotLink pilot={step.pilot} />
              </Table.Td>
              <Table.Td>
                <Outputs step={step} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function TaskLink({ step }: { step: Step }) {
  if (!step.task) return <>–</>;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task: step.task }} {...props} />}
    >
      {step.task.slice(0, 8)}
    </Anchor>
  );
}

function PilotLink({ pilot }: { pilot: string }) {
  if (!pilot) return null;
  return (
    <Anchor
      size="xs"
      display="block"
      renderRoot={(props) => <Link to="/pilots/$pilot" params={{ pilot }} {...props} />}
    >
      in pilot {pilot.slice(0, 8)}
    </Anchor>
  );
}

function Outputs({ step }: { step: Step }) {
  return (
    <Stack gap={2}>
      {Object.entries(step.outputs).map(([name, output]) => (
        <Text key={name} size="xs" style={{ overflowWrap: "anywhere" }}>
          {name}: {output.kind === "value" ? JSON.stringify(output.value) : treeText(output)}
        </Text>
      ))}
    </Stack>
  );
}

function treeText({ digest = "", size = 0 }: Step["outputs"][string]): string {
  return digest
    ? `${digest.replace("sha256:", "").slice(0, 12)}, ${formatBytes(size)}`
    : "not there yet";
}
