import {
  Button,
  Group,
  List,
  Progress as ProgressBar,
  Stack,
  Text,
  ThemeIcon,
} from "@mantine/core";
import { IconAlertCircle, IconCheck } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas, Task } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { count } from "~/lib/format";
import { type BulkOperation, type Choice, type Progress, previewBulk, runBulk } from "./bulk";

export type BulkAction = {
  operation: BulkOperation;
  title: string;
  /** What it does. */
  text: string;
  /** Shown if there is nothing to do. */
  none: string;
  verb: string;
  /** The result for one task. */
  result: (task: Task) => string;
  color?: string;
};

export const CANCEL: BulkAction = {
  operation: "cancel",
  title: "Cancel tasks?",
  text: "Running programs are stopped, and queued jobs are removed from the queue. Logs, results and history are kept.",
  none: "All of these tasks have already ended. There is nothing to cancel.",
  verb: "Cancel",
  result: cancelResult,
  color: "red",
};
export const RETRY: BulkAction = {
  operation: "retry",
  title: "Retry tasks?",
  text: "Each is submitted again as a new task with the same code, parameters and resources. The original tasks are kept.",
  none: "None of these tasks failed or was cancelled. To run successful tasks again, filter by that state first.",
  verb: "Retry",
  result: (task) => `retried as ${task.id.slice(0, 8)}`,
};

/** Cancelling an ended task changes nothing and is not an error. */
function cancelResult({ state }: Task): string {
  if (state === "cancelled") return "cancelled";
  if (state === "failed" || state === "succeeded") return `had already ended: ${state}`;
  return "cancelling";
}

type BulkDialogProps = {
  act: BulkAction;
  choice: Choice;
  nameOf: (id: string) => string;
  onClose: () => void;
  onDone: () => void;
};

/** How many tasks are affected, then the progress, then the result of each. */
export function BulkDialog({ act, choice, ...props }: BulkDialogProps) {
  const preview = useQuery({
    queryKey: ["look-ahead", act.operation, choice],
    queryFn: () => previewBulk(act.operation, choice),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <QueryResult query={preview}>
      {({ total, choice: fixed }) =>
        total ? (
          <ConfirmBulk act={act} choice={fixed} total={total} {...props} />
        ) : (
          <NothingToDo text={act.none} onClose={props.onClose} />
        )
      }
    </QueryResult>
  );
}

function NothingToDo({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">{text}</Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function ConfirmBulk({
  act,
  choice,
  total,
  nameOf,
  onClose,
  onDone,
}: BulkDialogProps & { total: number }) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const mutation = useMutation({ mutationFn: () => runBulk(act.operation, choice, setProgress) });
  if (mutation.data)
    return <Outcomes act={act} progress={mutation.data} nameOf={nameOf} onClose={onDone} />;
  return (
    <Stack>
      <Text size="sm">
        <b>{count(total, "task")}</b>
        {"matching" in choice && " matching"}. {act.text}
      </Text>
      {mutation.isPending && <BulkProgress progress={progress} total={total} />}
      {mutation.error && <ErrorAlert error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep them
        </Button>
        <Button
          color={act.color}
          loading={mutation.isPending}
          onClick={() => mutation.mutate()}
          data-autofocus
        >
          {act.verb} {count(total, "task")}
        </Button>
      </Group>
    </Stack>
  );
}

function BulkProgress({ progress, total }: { progress: Progress | null; total: number }) {
  const over = progress ? progress.done + progress.rejected.length : 0;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        {over.toLocaleString()} of {total.toLocaleString()}
      </Text>
      <ProgressBar value={(100 * over) / total} aria-label="Progress" />
    </Stack>
  );
}

type OutcomesProps = {
  act: BulkAction;
  progress: Progress;
  nameOf: (id: string) => string;
  onClose: () => void;
};

/** The result of each task, rejected ones first, with the service's message. */
function Outcomes({ act, progress: { done, rejected, shown }, nameOf, onClose }: OutcomesProps) {
  return (
    <Stack>
      <List spacing="xs" size="sm" mah="50vh" style={{ overflow: "auto" }} tabIndex={0}>
        {[...rejected, ...shown].map((item) => (
          <List.Item key={item.id} icon={<OutcomeIcon good={!item.problem} />}>
            <Link to="/tasks/$task" params={{ task: item.task?.id ?? item.id }}>
              {item.task?.name ?? nameOf(item.id)}
            </Link>{" "}
            {outcomeText(act, item)}
          </List.Item>
        ))}
      </List>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {done.toLocaleString()} done{rejected.length > 0 && `, ${rejected.length} rejected`}
          {done > shown.length && `; showing the first ${shown.length}`}
        </Text>
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function outcomeText(act: BulkAction, { task, problem }: Schemas["Outcome"]): string {
  if (problem) return `${problem.title} ${problem.hint}`;
  return task ? act.result(task) : "";
}

function OutcomeIcon({ good }: { good: boolean }) {
  const Icon = good ? IconCheck : IconAlertCircle;
  return (
    <ThemeIcon size={20} radius="xl" variant="light" color={good ? "teal" : "red"}>
      <Icon size={13} aria-label={good ? "Done" : "Rejected"} />
    </ThemeIcon>
  );
}
