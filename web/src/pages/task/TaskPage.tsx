import { Anchor, Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CatchBoundary, Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import type { Task } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Page } from "~/components/Page";
import { PageError } from "~/components/PageError";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TabList } from "~/components/TabList";
import { Elapsed, TimeAgo } from "~/components/Time";
import { useTaskOutput } from "~/live/hooks";
import { meQuery } from "~/people/me";
import { taskQuery } from "~/tasks/queries";
import { StateChip } from "~/tasks/StateBadge";
import { Tags } from "~/tasks/Tags";
import { Actions } from "./Actions";
import { EndpointName } from "./EndpointName";
import { preloadTabs } from "./loaders";
import { OwnerAndProject } from "./OwnerAndProject";
import { EditDetails } from "./overview/EditDetails";
import { StatusAlert } from "./StatusAlert";
import type { Tab, TaskSearch } from "./search";
import classes from "./TaskPage.module.css";
import { CONTENTS } from "./tabs";

const LABELS: Record<Tab, string> = {
  overview: "Overview",
  log: "Log",
  metrics: "Metrics",
  resources: "Resources",
  files: "Files",
  code: "Spec and code",
  record: "Record",
  history: "History",
};

export function TaskPage() {
  const { task: id } = useParams({ from: "/tasks/$task" });
  const query = useQuery(taskQuery(id));
  useFullId(id, query.data?.id);
  useEffect(preloadTabs, []);
  if (query.data) return <LoadedTask key={query.data.id} task={query.data} />;
  return (
    <Page title={query.error ? "Task" : "…"} tab="Task">
      {query.error ? (
        <>
          <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
          <Anchor
            size="sm"
            mt="md"
            display="inline-block"
            renderRoot={(props) => <Link to="/tasks" {...props} />}
          >
            All tasks
          </Anchor>
        </>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Loading() {
  return (
    <div aria-busy="true">
      <SkeletonLines count={6} height={44} />
    </div>
  );
}

/** A job id or the start of a task id also leads here; events use full ids. */
function useFullId(requested: string, task: string | undefined): void {
  const navigate = useNavigate();
  const search = useSearch({ from: "/tasks/$task" });
  useEffect(() => {
    if (task && task !== requested) {
      void navigate({ to: "/tasks/$task", params: { task }, search, replace: true });
    }
  }, [requested, task, search, navigate]);
}

function LoadedTask({ task }: { task: Task }) {
  useTaskOutput(task.id, {});
  const { tab = "overview" } = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const open = (next: TaskSearch) => void navigate({ search: next });
  const Content = CONTENTS[tab];
  return (
    <Page
      title={task.name}
      tab={`${task.state}: ${task.name}`}
      lead={<Lead task={task} />}
      actions={<Actions task={task} />}
      wide
    >
      <StatusAlert task={task} />
      <Tabs
        value={tab}
        onChange={(next) => open({ tab: next === "overview" ? undefined : (next as Tab) })}
        keepMounted={false}
      >
        <TabList value={tab} mb="md">
          {Object.entries(LABELS).map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </TabList>
        <Tabs.Panel value={tab}>
          <CatchBoundary getResetKey={() => tab} errorComponent={PageError}>
            <Suspense fallback={<Loading />}>
              <Content task={task} />
            </Suspense>
          </CatchBoundary>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Lead({ task }: { task: Task }) {
  const { data: me } = useQuery(meQuery);
  return (
    <Group gap="sm" mt={4}>
      <StateChip task={task} />
      <Text size="sm">
        on <EndpointName task={task} />
      </Text>
      {task.started !== null && (task.ended || task.state === "running") && (
        <Text size="sm">
          {task.ended ? "ran for" : "running for"} <Elapsed from={task.started} to={task.ended} />
        </Text>
      )}
      <OwnerAndProject task={task} />
      <Text size="sm">
        {task.ended ? "ended" : "created"} <TimeAgo at={task.ended ?? task.created} />
      </Text>
      <Tags tags={task.tags} />
      {me?.id === task.owner && <EditDetails task={task} />}
      {task.note && (
        <Text size="sm" className={classes.note}>
          {task.note}
        </Text>
      )}
    </Group>
  );
}
