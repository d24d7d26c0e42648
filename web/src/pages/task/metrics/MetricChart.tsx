import { ActionIcon, Card, Group, Menu, Text, Title, Tooltip } from "@mantine/core";
import { useElementSize, useInViewport } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { Chart, type ChartHandle } from "~/charts/Chart";
import { type Curve, colourOf, type Range, stepsWithin, toCsv } from "~/charts/curves";
import { Legend } from "~/charts/Legend";
import { ErrorAlert } from "~/components/ErrorAlert";
import { SkeletonLines } from "~/components/SkeletonLines";
import { downloadText, downloadUrl } from "~/lib/download";
import { count, formatNumber } from "~/lib/format";
import { toggled } from "~/lib/sets";
import { invalidCount, type MetricSet } from "./metricSet";
import { allCurvesQuery, curvesQuery, pointsFor } from "./queries";

type MetricChartProps = {
  title: string;
  tasks: string[];
  names: string[];
  labels: Map<string, string>;
  height?: number;
};

/** One chart: one metric of several tasks, or all metrics. Requests about two points per visible pixel. */
export function MetricChart({ title, tasks, names, labels, height = 240 }: MetricChartProps) {
  const { ref: inView, inViewport } = useInViewport();
  const { ref: sized, width } = useElementSize();
  const { smooth = 0, log = false, x, from, to } = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const range = useMemo(
    () => (from !== undefined && to !== undefined ? { from, to } : null),
    [from, to],
  );
  const axis = x ?? "step";
  const isAll = names.length === 0;
  const points = pointsFor(isAll ? window.innerWidth : width);
  const seen = useRef(isAll);
  seen.current ||= inViewport && width > 0;
  const whole = useQuery({
    ...(isAll ? allCurvesQuery(tasks) : curvesQuery({ tasks, names, points, range: null })),
    enabled: seen.current,
  });
  const steps = useSteps(whole.data, range, axis);
  const finer = useQuery({
    ...curvesQuery({ tasks, names, points, range: steps }),
    enabled: seen.current && steps !== null,
  });
  const set = steps ? (finer.data ?? whole.data) : whole.data;
  const curves = useMemo(
    () => curvesOf(set, tasks, labels, names.length === 1),
    [set, tasks, labels, names.length],
  );
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => curves.filter(({ key }) => !hidden.has(key)), [curves, hidden]);
  const handle = useRef<ChartHandle>(null);
  const zoom = (next: Range | null) =>
    void navigate({ search: (now) => ({ ...now, from: next?.from, to: next?.to }), replace: true });
  const invalid = invalidCount(set?.items ?? []);
  return (
    <Card ref={inView} component="section" aria-label={title} p="sm">
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Title order={2} fz="sm" style={{ overflowWrap: "anywhere" }}>
          {title}
        </Title>
        <Group gap="xs" wrap="nowrap">
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            {lastValueText(curves)}
          </Text>
          <ExportMenu title={title} curves={shown} handle={handle} />
        </Group>
      </Group>
      <div ref={sized} style={{ minHeight: height }}>
        {whole.error && !set ? (
          <ErrorAlert error={whole.error} onRetry={() => void whole.refetch()} />
        ) : set?.items.length === 0 ? (
          <Text size="sm" c="dimmed">
            No metrics yet.
          </Text>
        ) : set ? (
          <Chart
            label={chartDescription(title, curves)}
            curves={shown}
            axis={axis}
            log={log}
            smooth={smooth}
            range={range}
            height={height}
            onRange={zoom}
            handle={handle}
          />
        ) : (
          <div aria-busy={whole.isFetching}>
            <SkeletonLines count={4} height={height / 6} />
          </div>
        )}
      </div>
      {names.length !== 1 && curves.length > 1 && (
        <Legend
          curves={curves}
          hidden={hidden}
          onToggle={(key) => setHidden((now) => toggled(now, key))}
        />
      )}
      {invalid > 0 && (
        <Text size="xs" mt={4}>
          ✕ {count(invalid, "value is", "values are")} not a number
        </Text>
      )}
    </Card>
  );
}

function useSteps(
  set: MetricSet | undefined,
  range: Range | null,
  axis: "step" | "time",
): Range | null {
  return useMemo(() => {
    if (!range || axis === "step") return range;
    return set ? stepsWithin(set.items, range) : null;
  }, [set, range, axis]);
}

function curvesOf(
  set: MetricSet | undefined,
  tasks: string[],
  labels: Map<string, string>,
  oneName: boolean,
): Curve[] {
  return (set?.items ?? []).map((item, n) => {
    const task = labels.get(item.task) ?? item.task.slice(0, 8);
    const label = oneName ? task : tasks.length > 1 ? `${item.name}, ${task}` : item.name;
    const color = colourOf(oneName ? tasks.indexOf(item.task) : n);
    return { key: `${item.task} ${item.name}`, label, color, points: item.points };
  });
}

function lastValueText(curves: Curve[]): string {
  if (curves.length !== 1) return "";
  const value = curves[0]?.points.at(-1)?.[2];
  return value == null ? "" : `now ${formatNumber(value)}`;
}

function chartDescription(title: string, curves: Curve[]): string {
  const ends = curves.slice(0, 5).map(({ label, points }) => {
    const value = points.at(-1)?.[2];
    return `${label} ${value == null ? "is not a number" : `is at ${formatNumber(value)}`}`;
  });
  return `${title}: ${ends.join(", ")}. Press plus or minus to zoom, arrows to move, 0 to show all.`;
}

type ExportMenuProps = {
  title: string;
  curves: Curve[];
  handle: React.RefObject<ChartHandle | null>;
};

function ExportMenu({ title, curves, handle }: ExportMenuProps) {
  const file = title.replaceAll(/[^\w.-]+/g, "-");
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label="Download chart">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Download chart ${title}`}
          >
            <IconDownload size={15} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => downloadUrl(`${file}.png`, handle.current?.png() ?? "")}>
          Image (PNG)
        </Menu.Item>
        <Menu.Item onClick={() => downloadText(`${file}.csv`, toCsv(curves))}>
          Data points (CSV)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
