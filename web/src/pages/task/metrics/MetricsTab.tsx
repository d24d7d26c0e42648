import { SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconChartLine } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Task } from "~/api/client";
import { taskQuery } from "~/api/queries";
import { Answer, Empty } from "~/components/Answer";
import { isOver } from "../words";
import { MetricChart } from "./MetricChart";
import { curvesQuery } from "./queries";
import { labelsOf } from "./set";
import { Toolbar } from "./Toolbar";
import { useLiveCurves } from "./useLiveCurves";

const MANY = 12;

/** Curves, live; of several tasks on the same charts. */
export function MetricsTab({ task }: { task: Task }) {
  const { compare, together } = useSearch({ from: "/tasks/$task" });
  const others = compare?.split(",").filter((id) => id && id !== task.id) ?? [];
  const ids = [task.id, ...others];
  const tasks = useTasks(task, others);
  const names = useQuery(curvesQuery({ tasks: ids, names: [], points: 2, range: null }));
  useLiveCurves(ids);
  return (
    <Answer query={names}>
      {(set) => {
        const all = set.names.map((one) => one.name);
        if (!all.length) return <NoCurves task={task} />;
        return (
          <Stack>
            <Toolbar task={task} tasks={tasks} />
            {together ? (
              <MetricChart
                title={`${all.length} curves`}
                tasks={ids}
                names={[]}
                labels={labelsOf(tasks)}
                height={460}
              />
            ) : (
              <Charts tasks={ids} names={all} labels={labelsOf(tasks)} />
            )}
          </Stack>
        );
      }}
    </Answer>
  );
}

/** Those of the other tasks that are known by now; one that cannot be read is left out. */
function useTasks(task: Task, others: string[]): Task[] {
  const found = useQueries({ queries: others.map((id) => taskQuery(id)) });
  return [task, ...found.flatMap(({ data }) => (data ? [data] : []))];
}

type ChartsProps = { tasks: string[]; names: string[]; labels: Map<string, string> };

function Charts({ tasks, names, labels }: ChartsProps) {
  const [words, setWords] = useState("");
  const shown = names.filter((name) => name.toLowerCase().includes(words.toLowerCase().trim()));
  return (
    <>
      {names.length > MANY && (
        <TextInput
          type="search"
          maw={320}
          aria-label="Show curves whose name has"
          placeholder={`Find one of ${names.length} curves`}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <SimpleGrid cols={{ base: 1, md: shown.length > 1 ? 2 : 1 }}>
        {shown.map((name) => (
          <MetricChart key={name} title={name} tasks={tasks} names={[name]} labels={labels} />
        ))}
      </SimpleGrid>
      {shown.length === 0 && (
        <Text size="sm" c="dimmed">
          No curve has that in its name.
        </Text>
      )}
    </>
  );
}

function NoCurves({ task }: { task: Task }) {
  return (
    <Empty icon={IconChartLine} title={isOver(task) ? "It wrote no metrics" : "No metrics yet"}>
      A program draws curves here by writing lines of JSON to the file that{" "}
      <code>DIAMOND_METRICS</code> names, by <code>diamond.training.log(loss=…)</code>, or by
      TensorBoard's own files in its folder.
    </Empty>
  );
}
