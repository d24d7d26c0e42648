import { Anchor, Button, Table } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Schemas, Task } from "~/api/client";
import { Elapsed } from "~/components/Time";
import classes from "./AttemptsCard.module.css";
import { attemptState, gapText } from "./attempts";

type Attempt = Schemas["Attempt"];
const COLUMNS = ["Attempt", "State", "Gap before", "Ran for", "Reached step", "Checkpoint"];
/** Of a long chain, the latest attempts matter most. */
const MAX_ATTEMPTS = 8;
const TOLERANCE = 4;

/** Each attempt with the gap before it, its progress and how it ended. */
export function AttemptTable({ task }: { task: Task }) {
  const [all, setAll] = useState(false);
  const isLong = task.attempts.length > MAX_ATTEMPTS + TOLERANCE;
  const shown = isLong && !all ? task.attempts.slice(-MAX_ATTEMPTS) : task.attempts;
  return (
    <div>
      {isLong && (
        <Button
          variant="subtle"
          size="compact-sm"
          mb={4}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all
            ? `Show only the latest ${MAX_ATTEMPTS}`
            : `Show ${task.attempts.length - MAX_ATTEMPTS} earlier attempts`}
        </Button>
      )}
      {/* Roles are explicit because small windows show rows as blocks, which browsers no longer treat as a table. */}
      <Table horizontalSpacing="sm" verticalSpacing={6} role="table" className={classes.table}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {COLUMNS.map((head) => (
              <Table.Th key={head} role="columnheader">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {shown.map((attempt) => (
            <Row key={attempt.id} task={task} attempt={attempt} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ task, attempt }: { task: Task; attempt: Attempt }) {
  const { started, ended, step, checkpoint } = attempt;
  return (
    <Table.Tr role="row">
      <Cell head="Attempt">
        <AttemptNumber task={task} attempt={attempt} />
      </Cell>
      <Cell head="State">{attemptState(attempt, task.chain.follow_up, task.attempt)}</Cell>
      <Cell head="Gap before" short>
        {gapText(attempt.gap)}
      </Cell>
      <Cell head="Ran for" short>
        {started !== null && <Elapsed from={started} to={ended} />}
      </Cell>
      <Cell head="Reached step" short>
        {step?.toLocaleString()}
      </Cell>
      <Cell head="Checkpoint">{checkpoint}</Cell>
    </Table.Tr>
  );
}

type CellProps = { head: string; short?: boolean; children: ReactNode };

function Cell({ head, short, children }: CellProps) {
  const isEmpty = children === "" || children === false || children === undefined;
  return (
    <Table.Td role="cell" data-head={head} data-short={short} data-empty={isEmpty || undefined}>
      {isEmpty ? <span aria-hidden>–</span> : children}
    </Table.Td>
  );
}

/** Links to the attempt's log once there is one. */
function AttemptNumber({ task, attempt }: { task: Task; attempt: Attempt }) {
  if (!attempt.runs.length) return <>{attempt.number}</>;
  return (
    <Anchor
      size="sm"
      underline="always"
      aria-label={`Log of attempt ${attempt.number}`}
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
    </Anchor>
  );
}
