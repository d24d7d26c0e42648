import { Anchor, Text } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { fetchRaw } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { SkeletonLines } from "~/components/SkeletonLines";
import type { Build } from "~/images/api";
import { formatBytes } from "~/lib/format";
import { useStreamOpened, useTaskOutput } from "~/live/hooks";
import { refetch } from "~/live/refetch";
import { useThrottle } from "~/live/useThrottle";
import { plainText } from "~/output/ansi";
import classes from "./Build.module.css";
import { isComplete, type LogPart, lastPart } from "./logPart";
import type { Step } from "./Steps";

const READ_INTERVAL = 300;

type StepLogProps = { id: string; build: Build; step: Step };

/** The output of one step: at most its last part, live while it runs. */
export function StepLog({ id, build, step }: StepLogProps) {
  const { task } = build;
  const from = step.log_from ?? 0;
  const key = ["step-log", task.id, task.attempt, from, step.log_to];
  const queries = useQueryClient();
  const log = useQuery({
    queryKey: key,
    queryFn: () => readLog(task.id, from, step.log_to ?? null),
    placeholderData: keepPreviousData,
    staleTime: ({ state }) => (isComplete(state.data, step.log_to) ? Number.POSITIVE_INFINITY : 0),
  });
  const readMore = useThrottle(READ_INTERVAL, () => {
    if (!isComplete(log.data, step.log_to)) refetch(queries, key);
  });
  // A step's end may be reported before its last output arrives.
  useTaskOutput(task.id, { onLog: (piece) => piece.stream === "stdout" && readMore() });
  useStreamOpened(readMore);
  const box = useStickToEnd(log.data?.text);
  return (
    <section
      ref={box}
      id={id}
      className={classes.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
      tabIndex={0}
      aria-label={`Log of ${step.title}`}
    >
      {log.error && !log.data && <ErrorAlert error={log.error} />}
      {log.isPending && <SkeletonLines count={3} height={14} />}
      {log.data && log.data.start > from && (
        <Text size="xs" c="dimmed" mb={4}>
          {formatBytes(log.data.start - from)} earlier:{" "}
          <Anchor
            size="xs"
            underline="always"
            renderRoot={(props) => (
              <Link
                to="/tasks/$task"
                params={{ task: task.id }}
                search={{ tab: "log", stream: "stdout", at: from }}
                {...props}
              />
            )}
          >
            full log
          </Anchor>
        </Text>
      )}
      {log.data && <pre>{log.data.text || "No output."}</pre>}
    </section>
  );
}

async function readLog(task: string, from: number, to: number | null): Promise<LogPart> {
  const { offset, limit } = lastPart(from, to);
  const query = new URLSearchParams({ offset: String(offset), limit: String(limit) });
  const answer = await fetchRaw(`/api/v1/tasks/${task}/logs/stdout?${query}`);
  const start = Number(answer.headers.get("Diamond-Offset") ?? offset);
  const data = new Uint8Array(await answer.arrayBuffer());
  const own = data.subarray(Math.max(0, from - start), to === null ? undefined : to - start);
  return {
    text: plainText(new TextDecoder().decode(own)).trimEnd(),
    start: Math.max(from, start),
    end: start + data.length,
  };
}

/** Stays scrolled to the end unless the reader scrolls up. */
function useStickToEnd(text: string | undefined) {
  const box = useRef<HTMLElement>(null);
  const height = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when output is added
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const wasAtEnd = height.current - element.scrollTop - element.clientHeight < 30;
    if (wasAtEnd || !height.current) element.scrollTop = element.scrollHeight;
    height.current = element.scrollHeight;
  }, [text]);
  return box;
}
