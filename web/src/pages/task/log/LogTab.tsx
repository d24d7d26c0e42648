import { Group, SegmentedControl, Select, Stack, Switch, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { Answer, Empty } from "~/components/Answer";
import { logsQuery } from "../queries";
import type { TaskSearch } from "../search";
import { isOver } from "../words";
import { LogPane } from "./LogPane";
import { chosenOf, ranksOf, runsOf, type Streams } from "./which";

/** Agents send the logs of so many ranks. */
const CARRIED_RANKS = 64;
const STREAMS = [
  { value: "stdout", label: "Output" },
  { value: "stderr", label: "Errors" },
  { value: "both", label: "Both" },
];

/** What the program printed: of any attempt, run and rank, its output and its errors apart. */
export function LogTab({ task }: { task: Task }) {
  const query = useQuery(logsQuery(task.id));
  return (
    <Answer query={query}>
      {({ items }) => (items.length ? <Logs task={task} logs={items} /> : <NoLog task={task} />)}
    </Answer>
  );
}

function NoLog({ task }: { task: Task }) {
  return (
    <Empty icon={IconFileText} title={isOver(task) ? "It printed nothing" : "Nothing printed yet"}>
      {isOver(task)
        ? "The program ended without a word, or never began."
        : "What the program prints appears here as soon as it runs."}
    </Empty>
  );
}

function Logs({ task, logs }: { task: Task; logs: Streams }) {
  const search = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const set = (part: TaskSearch) =>
    void navigate({ search: (now) => ({ ...now, at: undefined, ...part }), replace: true });
  const runs = runsOf(task, logs);
  const chosen = chosenOf(search, runs, logs);
  if (!chosen) return null;
  const ranks = ranksOf(logs, chosen);
  const stream = search.stream ?? "stdout";
  const streams = stream === "both" ? (["stdout", "stderr"] as const) : [stream];
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Which stream"
          data={STREAMS}
          value={stream}
          onChange={(value) =>
            set({ stream: value === "stdout" ? undefined : (value as "stderr") })
          }
        />
        {runs.length > 1 && (
          <Select
            aria-label="Attempt"
            w={170}
            allowDeselect={false}
            data={runs}
            value={`${chosen.attempt}/${chosen.run}`}
            onChange={(_, one) => {
              const run = runs.find(({ value }) => value === one?.value);
              set({ attempt: run?.attempt, run: run?.run });
            }}
          />
        )}
        {ranks.length > 1 && (
          <Select
            aria-label="Rank"
            w={120}
            allowDeselect={false}
            searchable
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
      {ranks.length >= CARRIED_RANKS && (
        <Text size="sm" c="dimmed">
          Of further ranks, rank-N.stdout.log and rank-N.stderr.log lie among the task's files.
        </Text>
      )}
      {streams.map((one) => (
        <LogPane
          key={`${chosen.attempt} ${chosen.run} ${chosen.rank} ${one}`}
          task={task}
          which={{ ...chosen, stream: one }}
          wrap={search.wrap ?? false}
          half={streams.length > 1}
        />
      ))}
    </Stack>
  );
}
