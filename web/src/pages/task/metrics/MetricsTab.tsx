import { Alert, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconChartLine } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Task } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { taskQuery } from "~/tasks/queries";
import { isOver, isSettled } from "~/tasks/state";
import { historyQuery } from "../queries";
import { MediaGallery } from "./MediaGallery";
import { MetricChart } from "./MetricChart";
import { labelsOf } from "./metricSet";
import { comparedTasks, namesQuery } from "./queries";
import { Toolbar } from "./Toolbar";
import { useLiveCurves } from "./useLiveCurves";

const SEARCH_ABOVE = 12;

/** Live curves, also of several tasks on the same charts. */
export function MetricsTab({ task }: { task: Task }) {
  const { compare, together } = useSearch({ from: "/tasks/$task" });
  const ids = useMemo(() => comparedTasks(task.id, compare), [task.id, compare]);
  const tasks = useTasks(task, ids.slice(1));
  const labels = useMemo(() => labelsOf(tasks), [tasks]);
  useLiveCurves(tasks.filter((candidate) => !isSettled(candidate)).map(({ id }) => id));
  return (
    <Stack>
      <Toolbar task={task} tasks={tasks} />
      <MetricNotes task={task} />
      {together ? (
        <MetricChart title="All metrics" tasks={ids} names={[]} labels={labels} height={460} />
      ) : (
        <ChartPerMetric task={task} tasks={ids} labels={labels} />
      )}
      <MediaGallery task={task} />
    </Stack>
  );
}

const METRIC_NOTES = ["metric-names-left-out", "metrics-thinned", "bad-metric-line"];

/** What the service could not keep of this task's metrics, in its own words. */
function MetricNotes({ task }: { task: Task }) {
  const { data } = useQuery(historyQuery(task.id));
  const notes = (data?.items ?? []).filter(({ data }) => METRIC_NOTES.includes(String(data.code)));
  return notes.map(({ n, message }) => (
    <Alert key={n} color="yellow" icon={<IconAlertTriangle aria-hidden />} role="note">
      {message}
    </Alert>
  ));
}

type ChartPerMetricProps = { task: Task; tasks: string[]; labels: Map<string, string> };

function ChartPerMetric({ task, tasks, labels }: ChartPerMetricProps) {
  const query = useQuery(namesQuery(tasks));
  return (
    <QueryResult query={query}>
      {(names) =>
        names.length ? (
          <Charts tasks={tasks} names={names.map(({ name }) => name)} labels={labels} />
        ) : (
          <NoMetrics task={task} />
        )
      }
    </QueryResult>
  );
}

/** The other tasks loaded so far; unreadable ones are left out. */
function useTasks(task: Task, others: string[]): Task[] {
  return useQueries({
    queries: others.map((id) => taskQuery(id)),
    combine: (results) => [task, ...results.flatMap(({ data }) => (data ? [data] : []))],
  });
}

type ChartsProps = { tasks: string[]; names: string[]; labels: Map<string, string> };

function Charts({ tasks, names, labels }: ChartsProps) {
  const [search, setSearch] = useState("");
  const shown = names.filter((name) => name.toLowerCase().includes(search.toLowerCase().trim()));
  return (
    <>
      {names.length > SEARCH_ABOVE && (
        <TextInput
          type="search"
          maw={320}
          aria-label="Filter metrics"
          placeholder={`Filter ${names.length} metrics`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <SimpleGrid cols={{ base: 1, md: shown.length > 1 ? 2 : 1 }}>
        {shown.map((name) => (
          <MetricChart key={name} title={name} tasks={tasks} names={[name]} labels={labels} />
        ))}
      </SimpleGrid>
      {shown.length === 0 && (
        <Text size="sm" c="dimmed">
          No matching metrics.
        </Text>
      )}
    </>
  );
}

function NoMetrics({ task }: { task: Task }) {
  return (
    <EmptyState icon={IconChartLine} title={isOver(task) ? "No metrics" : "No metrics yet"}>
      To show metrics here, write JSON lines to the file named by <code>DIAMOND_METRICS</code>, call{" "}
      <code>diamond.training.log(loss=…)</code>, or write TensorBoard files in the run directory.
    </EmptyState>
  );
}
