import { Group, SegmentedControl, Select, Stack, Switch, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import type { Task } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { isOver } from "~/tasks/state";
import { logsQuery } from "../queries";
import type { STREAMS as STREAM_NAMES, TaskSearch } from "../search";
import { LogPane } from "./LogPane";
import { joinedLogs, type Part, singleLog } from "./logSource";
import {
  ALL,
  firstStream,
  folderOf,
  type LogList,
  type LogSelection,
  partsOf,
  ranksOf,
  runChoices,
  selectedRun,
} from "./logStreams";

const STREAMS = [
  { value: "stdout", label: "Output" },
  { value: "stderr", label: "Errors" },
  { value: "both", label: "Both" },
];

/** The program's output: any attempt, run and rank, output and errors separately. */
export function LogTab({ task }: { task: Task }) {
  const query = useQuery(logsQuery(task.id));
  return (
    <QueryResult query={query}>
      {(list) => (list.items.length ? <Logs task={task} list={list} /> : <NoLog task={task} />)}
    </QueryResult>
  );
}

function NoLog({ task }: { task: Task }) {
  return (
    <EmptyState icon={IconFileText} title={isOver(task) ? "No output" : "No output yet"}>
      {isOver(task)
        ? "The program printed nothing, or never started."
        : "Program output appears here as soon as it runs."}
    </EmptyState>
  );
}

function Logs({ task, list }: { task: Task; list: LogList }) {
  const search = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const set = (part: TaskSearch) =>
    void navigate({ search: (now) => ({ ...now, at: undefined, ...part }), replace: true });
  const logs = list.items;
  const runs = runChoices(task, logs);
  const chosen = selectedRun(search, runs, logs);
  if (!chosen) return null;
  const isAll = search.attempt === ALL && runs.length > 1;
  const ranks = ranksOf(logs, chosen);
  const stream = search.stream ?? firstStream(task, logs, chosen);
  const streams = stream === "both" ? (["stdout", "stderr"] as const) : [stream];
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Stream"
          data={STREAMS}
          value={stream}
          onChange={(value) => set({ stream: value as (typeof STREAM_NAMES)[number] })}
        />
        {runs.length > 1 && (
          <Select
            aria-label="Attempt"
            w={170}
            allowDeselect={false}
            data={[{ value: ALL, label: "All attempts" }, ...runs]}
            value={isAll ? ALL : `${chosen.attempt}/${chosen.run}`}
            onChange={(value) => {
              const run = runs.find((choice) => choice.value === value);
              set({ attempt: run ? run.attempt : ALL, run: run?.run });
            }}
          />
        )}
        {ranks.length > 1 && !isAll && (
          <Select
            aria-label="Rank"
            w={120}
            allowDeselect={false}
            searchable
            selectFirstOptionOnChange
            data={ranks.map((rank) => ({
              value: String(rank),
              label: rank ? `Rank ${rank}` : "All ranks",
            }))}
            value={String(chosen.rank)}
            onChange={(rank) => set({ rank: Number(rank) })}
          />
        )}
        <Switch
          label="Wrap long lines"
          checked={search.wrap ?? false}
          onChange={(event) =>
            set({ wrap: event.currentTarget.checked || undefined, at: search.at })
          }
        />
      </Group>
      <AboutRanks list={list} chosen={chosen} />
      {streams.map((name) => (
        <SourcePane
          key={name}
          task={task}
          selection={{ ...chosen, stream: name }}
          parts={isAll ? partsOf(runs, logs, name) : null}
          wrap={search.wrap ?? false}
          half={streams.length > 1}
        />
      ))}
    </Stack>
  );
}

type SourcePaneProps = {
  task: Task;
  selection: LogSelection;
  parts: Part[] | null;
  wrap: boolean;
  half: boolean;
};

/** Another source is another pane; the growing end of the last attempt is not. */
function SourcePane({ task, selection, parts, ...look }: SourcePaneProps) {
  const { attempt, run, rank, stream } = selection;
  const latest = useRef(parts);
  latest.current = parts;
  const shape = parts?.map((part) => `${part.attempt}/${part.run}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are read again as the log grows
  const source = useMemo(() => {
    if (latest.current?.length) return joinedLogs(task.id, latest.current);
    return singleLog(task.id, { attempt, run, rank, stream });
  }, [task.id, attempt, run, rank, stream, shape]);
  return <LogPane key={source.key} task={task} source={source} {...look} />;
}

/** How the logs of several ranks are read, and where the others are stored. */
function AboutRanks({ list, chosen }: { list: LogList; chosen: Omit<LogSelection, "stream"> }) {
  if (!list.words) return null;
  const folder = folderOf(list.items, chosen);
  const areElsewhere = list.ranks > list.carried_ranks && folder !== "";
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {list.words}
      </Text>
      {areElsewhere && <CopyLine line={folder} label="Copy the folder path" />}
    </Stack>
  );
}
