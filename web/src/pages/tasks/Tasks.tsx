import { Button } from "@mantine/core";
import { IconArrowUp, IconFilterOff, IconListDetails, IconPencilPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Page } from "~/components/Page";
import { SkeletonLines } from "~/components/SkeletonLines";
import { count, duration } from "~/lib/format";
import { columnsOf } from "~/tasks/columns/columns";
import { BulkActions } from "./BulkActions";
import { matchingOf } from "./bulk";
import { isFiltered, statesOf, type TasksSearch } from "./search";
import { TaskFilters } from "./TaskFilters";
import { TaskGrid } from "./TaskGrid";
import classes from "./Tasks.module.css";
import { filtersOf, useTaskList } from "./useTaskList";
import { useTaskSelection } from "./useTaskSelection";

const REFRESH_AT_MOST_EVERY = 2_000;

/** All tasks; every view of them is a link. */
export function Tasks() {
  const search = useSearch({ from: "/tasks" });
  const counts = useQuery(countsQuery(search)).data;
  const total = shownTotal(search, counts);
  const since = counts?.counted_since ?? undefined;
  return (
    <Page
      title="Tasks"
      wide
      fill
      lead={total === undefined ? " " : <Lead total={total} search={search} since={since} />}
      actions={
        <Button
          renderRoot={(props) => <Link to="/compose" {...props} />}
          leftSection={<IconPencilPlus size={16} aria-hidden />}
        >
          New job
        </Button>
      }
    >
      <TaskListView search={search} counts={counts} total={total} whole={since === undefined} />
    </Page>
  );
}

function countsQuery(search: TasksSearch) {
  const { state: _, sort: __, columns: ___, ...counted } = search;
  return {
    queryKey: [...keys.tasks, "counts", counted],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks/counts", { params: { query: filtersOf(search) } })),
    placeholderData: keepPreviousData,
  };
}

function totalText(total: number, search: TasksSearch): string {
  return `${count(total, "task")} ${isFiltered(search) ? (total === 1 ? "matches" : "match") : "in total"}`;
}

type LeadProps = { total: number; search: TasksSearch; since?: number };

/** The number of tasks; for a search in very many, how far back they were counted. */
function Lead({ total, search, since }: LeadProps) {
  if (since === undefined) return totalText(total, search);
  return (
    <>
      {totalText(total, search)} in the last {duration(Date.now() / 1000 - since)}; the list goes
      back further
    </>
  );
}

type Counts = Awaited<ReturnType<ReturnType<typeof countsQuery>["queryFn"]>>;

function shownTotal(search: TasksSearch, counts: Counts | undefined): number | undefined {
  const states = statesOf(search);
  if (!counts || states.length === 0) return counts?.total;
  const byState: Record<string, number> = counts.counts;
  return states.reduce((sum, state) => sum + (byState[state] ?? 0), 0);
}

type TaskListViewProps = {
  search: TasksSearch;
  counts: Counts | undefined;
  total: number | undefined;
  whole: boolean;
};

function TaskListView({ search, counts, total, whole }: TaskListViewProps) {
  const { list, state, stored } = useTaskList(search);
  return (
    <>
      <TaskFilters counts={counts} tasks={state.rows.slice(0, 50).map(({ id }) => id)} />
      <Rows search={search} total={total} whole={whole} list={list} state={state} stored={stored} />
    </>
  );
}

type RowsProps = Omit<TaskListViewProps, "counts"> & ReturnType<typeof useTaskList>;

function Rows({ search, total, whole, list, state, stored }: RowsProps) {
  const navigate = useNavigate();
  const selection = useTaskSelection(state.rows);
  const names = useRef(new Map<string, string>());
  for (const row of state.rows)
    if (selection.chosen.has(row.id)) names.current.set(row.id, row.name);
  const [atTop, setAtTop] = useState(stored.scrolled === 0);
  const [round, setRound] = useState(0);
  useRefresh(state.outdated && atTop, () => void list.refresh());
  if (state.rows.length === 0) {
    if (state.error) return <ErrorAlert error={state.error} onRetry={() => void list.refresh()} />;
    if (state.isStale || state.loading) return <Loading />;
    return <NoTasks filtered={isFiltered(search)} />;
  }
  return (
    <div className={classes.frame}>
      <TaskGrid
        key={`${stored.key} ${round}`}
        list={list}
        state={state}
        total={total}
        selection={selection}
        columns={columnsOf(search.columns)}
        scrolled={stored.scrolled}
        onScrolled={(top) => {
          stored.scrolled = top;
          setAtTop(top < 8);
        }}
        onOpen={(task) => void navigate({ to: "/tasks/$task", params: { task } })}
      />
      {state.outdated && !atTop && (
        <Button
          className={classes.fresh}
          size="compact-sm"
          radius="xl"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={() => {
            stored.scrolled = 0;
            setRound(round + 1);
            setAtTop(true);
          }}
        >
          The list has changed. Refresh
        </Button>
      )}
      <BulkActions
        selection={selection}
        matching={search.whose ? undefined : matchingOf(search)}
        total={whole ? total : undefined}
        nameOf={(id) => names.current.get(id) ?? id}
      />
    </div>
  );
}

/** At the top of the list new rows appear automatically; elsewhere nothing may move while being read. */
function useRefresh(isNeeded: boolean, refresh: () => void) {
  const last = useRef(0);
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    if (!isNeeded) return;
    const wait = Math.max(0, last.current + REFRESH_AT_MOST_EVERY - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      latest.current();
    }, wait);
    return () => clearTimeout(timer);
  }, [isNeeded]);
}

function Loading() {
  return (
    <div aria-busy="true">
      <SkeletonLines count={12} height={34} />
    </div>
  );
}

function NoTasks({ filtered }: { filtered: boolean }) {
  const navigate = useNavigate();
  return filtered ? (
    <EmptyState
      icon={IconFilterOff}
      title="No matching tasks"
      action={
        <Button variant="default" onClick={() => void navigate({ to: "/tasks", search: {} })}>
          Show all tasks
        </Button>
      }
    >
      Remove a filter or choose a longer period.
    </EmptyState>
  ) : (
    <EmptyState
      icon={IconListDetails}
      title="No tasks yet"
      action={
        <Button renderRoot={(props) => <Link to="/compose" {...props} />}>
          Create your first job
        </Button>
      }
    >
      Your jobs appear here as tasks, with their state, why they are waiting and how they ended.
    </EmptyState>
  );
}
