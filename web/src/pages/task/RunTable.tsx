import { Anchor, Card, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas, Task } from "~/api/client";
import { Elapsed, TimeAgo } from "~/components/Time";
import { runEnd } from "~/tasks/facts";

/** Runs of attempts that the site started more than once, each with its own log. */
export function RunTable({ task }: { task: Task }) {
  const requeued = task.attempts.filter((attempt) => attempt.runs.length > 1);
  if (!requeued.length) return null;
  return (
    <Card component="section" aria-label="Runs">
      <Stack gap="sm">
        <div>
          <Title order={2}>Runs</Title>
          <Text size="sm" c="dimmed">
            The site requeued this job and started it again. Each start is a run with its own log.
            The last run counts.
          </Text>
        </div>
        <Table.ScrollContainer minWidth={520}>
          <Table horizontalSpacing="sm" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                {task.attempts.length > 1 && <Table.Th>Attempt</Table.Th>}
                <Table.Th>Run</Table.Th>
                <Table.Th>Node</Table.Th>
                <Table.Th>Started</Table.Th>
                <Table.Th>Ran for</Table.Th>
                <Table.Th>Result</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {requeued.flatMap((attempt) =>
                attempt.runs.map((run) => (
                  <Row key={`${attempt.id} ${run.run}`} {...{ task, attempt, run }} />
                )),
              )}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Stack>
    </Card>
  );
}

type RowProps = { task: Task; attempt: Schemas["Attempt"]; run: Schemas["Run"] };

function Row({ task, attempt, run }: RowProps) {
  const isLast = run.run === attempt.runs.at(-1)?.run;
  return (
    <Table.Tr>
      {task.attempts.length > 1 && <Table.Td>{attempt.number}</Table.Td>}
      <Table.Td>
        <Anchor
          size="sm"
          underline="always"
          aria-label={`Log of run ${run.run}`}
          renderRoot={(props) => (
            <Link
              to="/tasks/$task"
              params={{ task: task.id }}
              search={{ tab: "log", attempt: attempt.id, run: run.run }}
              {...props}
            />
          )}
        >
          {run.run}
        </Anchor>
      </Table.Td>
      <Table.Td>{run.node}</Table.Td>
      <Table.Td>{run.started != null && <TimeAgo at={run.started} />}</Table.Td>
      <Table.Td>
        {run.started != null && (run.ended != null || isLast) && (
          <Elapsed from={run.started} to={run.ended ?? attempt.ended} />
        )}
      </Table.Td>
      <Table.Td>{runEnd(run, isLast && attempt.ended === null)}</Table.Td>
    </Table.Tr>
  );
}
