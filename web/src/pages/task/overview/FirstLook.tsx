import { Anchor, Card, Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Task } from "~/api/client";
import { SkeletonLines } from "~/components/SkeletonLines";
import { LiveLog } from "~/output/LiveLog";
import { ProgressBar } from "~/tasks/ProgressBar";
import { summaryQuery } from "~/tasks/summaries";
import classes from "./FirstLook.module.css";
import { MetricTable } from "./MetricTable";

const MainCurve = lazy(() => import("./MainCurve"));

/** What people open a task for: how far it is, its main curve, its last lines, its numbers. */
export function FirstLook({ task }: { task: Task }) {
  const { data: summary } = useQuery(summaryQuery(task.id));
  const progress = summary?.progress;
  const curve = task.archived ? null : summary?.main;
  const hasLog = task.started !== null && !task.archived && task.state !== "failed";
  return (
    <Stack>
      {progress && !task.archived && task.state !== "succeeded" && (
        <Card component="section" aria-label="Progress" py="sm">
          <ProgressBar progress={progress} label="Progress" color={barColor(task)} />
        </Card>
      )}
      {(curve || hasLog) && (
        <div className={classes.pair} data-single={!(curve && hasLog) || undefined}>
          {curve && (
            <Suspense fallback={<SkeletonLines count={4} height={56} />}>
              <MainCurve task={task} name={curve} />
            </Suspense>
          )}
          {hasLog && <LogTail task={task} />}
        </div>
      )}
      {summary && <MetricTable values={summary.values} />}
    </Stack>
  );
}

function barColor({ state }: Task): string {
  if (state === "running") return "blue";
  return state === "succeeded" ? "teal" : "gray";
}

function LogTail({ task }: { task: Task }) {
  return (
    <Card component="section" aria-label="Last lines of the log" p="sm" className={classes.tail}>
      <Group justify="space-between" mb={4}>
        <Title order={2} fz="sm">
          Log
        </Title>
        <Anchor
          size="xs"
          renderRoot={(props) => (
            <Link to="/tasks/$task" params={{ task: task.id }} search={{ tab: "log" }} {...props} />
          )}
        >
          Full log
        </Anchor>
      </Group>
      <LiveLog task={task} />
    </Card>
  );
}
