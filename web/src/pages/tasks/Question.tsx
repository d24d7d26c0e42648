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
import { Answer, Failed } from "~/components/Answer";
import { count } from "~/lib/format";
import { type Choice, type Deed, doAll, lookAhead, type Progress } from "./together";

export type Act = {
  deed: Deed;
  title: string;
  /** What it does to this many. */
  text: string;
  /** Said when the filters find none that it could touch. */
  none: string;
  verb: string;
  /** What became of one that was not refused. */
  told: (task: Task) => string;
  color?: string;
};

export const CANCEL: Act = {
  deed: "cancel",
  title: "Cancel tasks?",
  text: "Running programs are stopped, and queued jobs are removed from the queue. Logs, results and history are kept.",
  none: "All of these tasks have already ended. There is nothing to cancel.",
  verb: "Cancel",
  told: cancelWords,
  color: "red",
};
export const RETRY: Act = {
  deed: "retry",
  title: "Retry tasks?",
  text: "Each is submitted again as a new task with the same code, parameters and resources. The original tasks are kept.",
  none: "None of these tasks failed or was cancelled. To run successful tasks again, filter by that state first.",
  verb: "Retry",
  told: (task) => `retried as ${task.id.slice(0, 8)}`,
};

/** To cancel what has ended already changes nothing, and is no fault. */
function cancelWords({ state }: Task): string {
  if (state === "cancelled") return "cancelled";
  if (state === "failed" || state === "succeeded") return `had already ended: ${state}`;
  return "cancelling";
}

type QuestionProps = {
  act: Act;
  choice: Choice;
  nameOf: (id: string) => string;
  onClose: () => void;
  onDone: () => void;
};

/** How many it would be, as the service counts them now; then how it goes, then what became of each. */
export function Question({ act, choice, ...props }: QuestionProps) {
  const ahead = useQuery({
    queryKey: ["look-ahead", act.deed, choice],
    queryFn: () => lookAhead(act.deed, choice),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Answer query={ahead}>
      {({ many, choice: fixed }) =>
        many ? (
          <Asked act={act} choice={fixed} many={many} {...props} />
        ) : (
          <Nothing words={act.none} onClose={props.onClose} />
        )
      }
    </Answer>
  );
}

function Nothing({ words, onClose }: { words: string; onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">{words}</Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function Asked({ act, choice, many, nameOf, onClose, onDone }: QuestionProps & { many: number }) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const doing = useMutation({ mutationFn: () => doAll(act.deed, choice, setProgress) });
  if (doing.data)
    return <Outcomes act={act} progress={doing.data} nameOf={nameOf} onClose={onDone} />;
  return (
    <Stack>
      <Text size="sm">
        <b>{count(many, "task")}</b>
        {"matching" in choice && " matching"}. {act.text}
      </Text>
      {doing.isPending && <HowFar progress={progress} many={many} />}
      {doing.error && <Failed error={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep them
        </Button>
        <Button
          color={act.color}
          loading={doing.isPending}
          onClick={() => doing.mutate()}
          data-autofocus
        >
          {act.verb} {count(many, "task")}
        </Button>
      </Group>
    </Stack>
  );
}

function HowFar({ progress, many }: { progress: Progress | null; many: number }) {
  const over = progress ? progress.done + progress.refused.length : 0;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        {over.toLocaleString()} of {many.toLocaleString()}
      </Text>
      <ProgressBar value={(100 * over) / many} aria-label="Progress" />
    </Stack>
  );
}

type OutcomesProps = {
  act: Act;
  progress: Progress;
  nameOf: (id: string) => string;
  onClose: () => void;
};

/** What became of each: those that were refused first, in the service's words. */
function Outcomes({ act, progress: { done, refused, shown }, nameOf, onClose }: OutcomesProps) {
  return (
    <Stack>
      <List spacing="xs" size="sm" mah="50vh" style={{ overflow: "auto" }} tabIndex={0}>
        {[...refused, ...shown].map((item) => (
          <List.Item key={item.id} icon={<Sign good={!item.problem} />}>
            <Link to="/tasks/$task" params={{ task: item.task?.id ?? item.id }}>
              {item.task?.name ?? nameOf(item.id)}
            </Link>{" "}
            {wordsOf(act, item)}
          </List.Item>
        ))}
      </List>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {done.toLocaleString()} done{refused.length > 0 && `, ${refused.length} rejected`}
          {done > shown.length && `; showing the first ${shown.length}`}
        </Text>
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function wordsOf(act: Act, { task, problem }: Schemas["Outcome"]): string {
  if (problem) return `${problem.title} ${problem.hint}`;
  return task ? act.told(task) : "";
}

function Sign({ good }: { good: boolean }) {
  const Icon = good ? IconCheck : IconAlertCircle;
  return (
    <ThemeIcon size={20} radius="xl" variant="light" color={good ? "teal" : "red"}>
      <Icon size={13} aria-label={good ? "Done" : "Rejected"} />
    </ThemeIcon>
  );
}
