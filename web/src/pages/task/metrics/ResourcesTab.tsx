import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconActivity, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Task } from "~/api/client";
import { Chart } from "~/charts/Chart";
import { type Curve, colourOf, type Range } from "~/charts/curves";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { formatNumber } from "~/lib/format";
import { isOver, isSettled } from "~/tasks/state";
import { curvesQuery } from "./queries";
import { type Group as UsageGroup, usageGroups } from "./usage";

const REFETCH_INTERVAL = 15_000;

/** CPU, memory and GPU use during the run. */
export function ResourcesTab({ task }: { task: Task }) {
  const query = useQuery({
    ...curvesQuery({ tasks: [task.id], names: [], points: 1_000, range: null, usage: true }),
    refetchInterval: isSettled(task) ? false : REFETCH_INTERVAL,
  });
  const [range, setRange] = useState<Range | null>(null);
  return (
    <QueryResult query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState
            icon={IconActivity}
            title={isOver(task) ? "No measurements" : "No measurements yet"}
          >
            Diamond measures CPU, memory and GPU use every few seconds while the program runs. Very
            short runs may have no measurements.
          </EmptyState>
        ) : (
          <Stack>
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                Use by all processes of the task.
              </Text>
              <Button
                size="xs"
                variant="default"
                component="a"
                href={`/api/v1/tasks/${task.id}/metrics.csv?usage=true`}
                download
                leftSection={<IconDownload size={14} aria-hidden />}
              >
                All data (CSV)
              </Button>
            </Group>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              {usageGroups(items, task.order.resources).map((group) => (
                <UsageChart key={group.title} {...group} range={range} onRange={setRange} />
              ))}
            </SimpleGrid>
          </Stack>
        )
      }
    </QueryResult>
  );
}

type UsageChartProps = UsageGroup & {
  range: Range | null;
  onRange: (range: Range | null) => void;
};

function UsageChart({ title, unit, series, requested, range, onRange }: UsageChartProps) {
  const curves: Curve[] = useMemo(() => {
    const measured = series.map(({ label, item }, n) => ({
      key: item.name,
      label,
      color: colourOf(n),
      points: item.points,
    }));
    return requested === null ? measured : [...measured, requestedLine(measured, requested)];
  }, [series, requested]);
  return (
    <Card component="section" aria-label={title} p="sm">
      <Group justify="space-between" mb={4}>
        <Title order={2} fz="sm">
          {title}
        </Title>
        {requested !== null && (
          <Text size="xs" c="dimmed">
            - - requested: {formatNumber(requested)} {unit}
          </Text>
        )}
      </Group>
      <Chart
        label={`${title} over time`}
        curves={curves}
        axis="time"
        log={false}
        smooth={0}
        fromZero
        unit={unit}
        range={range}
        onRange={onRange}
      />
    </Card>
  );
}

/** From the first measurement to the last. */
function requestedLine(measured: Curve[], requested: number): Curve {
  const times = measured
    .flatMap(({ points }) => points.map(([, time]) => time ?? 0))
    .sort((a, b) => a - b);
  const ends = [times[0] ?? 0, times.at(-1) ?? 0];
  return {
    key: "requested",
    label: "requested",
    color: "#868e96",
    dashed: true,
    points: ends.map((time) => [null, time, requested]),
  };
}
