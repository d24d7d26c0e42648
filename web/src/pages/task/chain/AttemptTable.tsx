import { Anchor, Table, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas, Task } from "~/api/client";
import { Took } from "~/components/Time";
import { gapWords, standing } from "./words";

/** Each attempt with the gap before it, how far it came, and how it ended. */
export function AttemptTable({ task }: { task: Task }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table horizontalSpacing="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Attempt</Table.Th>
            <Table.Th>Gap before</Table.Th>
            <Table.Th>Ran for</Table.Th>
            <Table.Th>Reached step</Table.Th>
            <Table.Th>Checkpoint</Table.Th>
            <Table.Th>Now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {task.attempts.map((attempt) => (
            <Row key={attempt.id} task={task} attempt={attempt} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ task, attempt }: { task: Task; attempt: Schemas["Attempt"] }) {
  const { started, ended, step, checkpoint } = attempt;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => (
            <Link
              to="/tasks/$task"
              params={{ task: task.id }}
              search={{ tab: "log", attempt: attempt.id }}
              {...props}
            />
          )}
        >
          {attempt.number}
          <VisuallyHidden>: its log</VisuallyHidden>
        </Anchor>
      </Table.Td>
      <Table.Td>{gapWords(attempt.gap)}</Table.Td>
      <Table.Td>{started !== null && <Took from={started} to={ended} />}</Table.Td>
      <Table.Td>{step?.toLocaleString()}</Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{checkpoint}</Table.Td>
      <Table.Td>{standing(attempt, task.chain.follow_up, task.attempt)}</Table.Td>
    </Table.Tr>
  );
}
