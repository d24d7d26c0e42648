import { Anchor, Group, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Task } from "~/api/client";
import { isSettled } from "~/tasks/state";
import { MetricChart } from "../metrics/MetricChart";
import { useLiveCurves } from "../metrics/useLiveCurves";

/** The curve that tells most about the result, live. */
export default function MainCurve({ task, name }: { task: Task; name: string }) {
  const tasks = useMemo(() => [task.id], [task.id]);
  const labels = useMemo(() => new Map([[task.id, name]]), [task.id, name]);
  useLiveCurves(isSettled(task) ? [] : tasks);
  return (
    <Stack gap={4}>
      <MetricChart title={name} tasks={tasks} names={[name]} labels={labels} height={250} />
      <Group justify="flex-end">
        <Anchor
          size="xs"
          renderRoot={(props) => (
            <Link
              to="/tasks/$task"
              params={{ task: task.id }}
              search={{ tab: "metrics" }}
              {...props}
            />
          )}
        >
          All metrics
        </Anchor>
      </Group>
    </Stack>
  );
}
