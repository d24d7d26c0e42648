import { Card, SimpleGrid, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Chart } from "~/charts/Chart";
import { type Curve, colourOf } from "~/charts/curves";
import { Legend } from "~/charts/Legend";
import { toggled } from "~/lib/sets";
import { curvesQuery, namesQuery } from "~/pages/task/metrics/queries";
import type { Comparison } from "~/runs/api";

const MOST_CHARTS = 12;
const LOOK = { axis: "step", log: false, smooth: 0, range: null } as const;

/** The metrics of all compared tasks, one chart for each name. */
export function CompareCharts({ runs }: { runs: Comparison["runs"] }) {
  const tasks = useMemo(
    () => runs.filter(({ source }) => source === "diamond").map(({ id }) => id),
    [runs],
  );
  const { data: names = [] } = useQuery({ ...namesQuery(tasks), enabled: tasks.length > 0 });
  if (!names.length) return null;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {names.slice(0, MOST_CHARTS).map(({ name }) => (
        <CompareChart key={name} name={name} tasks={tasks} runs={runs} />
      ))}
    </SimpleGrid>
  );
}

type CompareChartProps = { name: string; tasks: string[]; runs: Comparison["runs"] };

function CompareChart({ name, tasks, runs }: CompareChartProps) {
  const { data } = useQuery(curvesQuery({ tasks, names: [name], points: 800, range: null }));
  const curves = useMemo<Curve[]>(
    () =>
      (data?.items ?? []).map((item) => {
        const run = runs.find(({ id }) => id === item.task);
        return {
          key: item.task,
          label: `${run?.name ?? ""} ${item.task.slice(0, 8)}`,
          color: colourOf(tasks.indexOf(item.task)),
          points: item.points,
        };
      }),
    [data, runs, tasks],
  );
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => curves.filter(({ key }) => !hidden.has(key)), [curves, hidden]);
  return (
    <Card component="section" aria-label={`Chart of ${name}`}>
      <Title order={2} mb="xs">
        {name}
      </Title>
      <Chart label={`${name} of ${curves.length} runs`} curves={shown} {...LOOK} />
      <Legend
        curves={curves}
        hidden={hidden}
        onToggle={(key) => setHidden((now) => toggled(now, key))}
      />
    </Card>
  );
}
