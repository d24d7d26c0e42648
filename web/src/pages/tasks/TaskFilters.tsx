import { Button, CloseButton, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Schemas } from "~/api/client";
import { endpointsQuery } from "~/endpoints/queries";
import { meQuery } from "~/people/me";
import { projectsQuery } from "~/projects/api";
import { ColumnChooser } from "~/tasks/columns/ColumnChooser";
import { columnsOf, columnsText } from "~/tasks/columns/columns";
import { TASK_STATES } from "~/tasks/StateBadge";
import { tagsQuery } from "~/tasks/tags";
import { isFiltered, NEWEST_FIRST, statesOf, type TasksSearch, toggleState } from "./search";
import classes from "./TaskFilters.module.css";
import { TaskViews } from "./TaskViews";

const KINDS = [
  { value: "run", label: "Runs" },
  { value: "build", label: "Image builds" },
  { value: "transfer", label: "Transfers" },
];
const PERIODS = [
  { value: "1", label: "Last 24 hours" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "365", label: "Last year" },
];
const SORTS = [
  { value: NEWEST_FIRST, label: "Newest first" },
  { value: "created", label: "Oldest first" },
  { value: "-updated", label: "Recently changed" },
  { value: "-ended", label: "Recently ended" },
  { value: "name", label: "By name, A to Z" },
  { value: "-name", label: "By name, Z to A" },
];
const TYPING_PAUSE = 250;

function useChange() {
  const navigate = useNavigate({ from: "/tasks" });
  return (change: (now: TasksSearch) => TasksSearch) =>
    void navigate({ search: change, replace: true });
}

type TaskFiltersProps = { counts: Schemas["TaskCounts"] | undefined; tasks: string[] };

/** Filters, sort order and columns, stored in the address. */
export function TaskFilters({ counts, tasks }: TaskFiltersProps) {
  const search = useSearch({ from: "/tasks" });
  const change = useChange();
  const { data } = useQuery(endpointsQuery);
  const set = (part: TasksSearch) => change((now) => ({ ...now, ...part }));
  return (
    <search className={classes.filters}>
      <States search={search} counts={counts} onChange={change} />
      <Group gap="xs">
        <SearchField value={search.search ?? ""} onChange={(text) => set({ search: text })} />
        <Select
          aria-label="Endpoint"
          placeholder="Any endpoint"
          className={classes.choice}
          data={(data?.items ?? []).map((endpoint) => endpoint.name)}
          value={search.endpoint ?? null}
          onChange={(endpoint) => set({ endpoint: endpoint ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": "Any endpoint" }}
          searchable={(data?.items.length ?? 0) > 8}
        />
        <Select
          aria-label="Period"
          placeholder="Any time"
          className={classes.choice}
          data={PERIODS}
          value={search.days ? String(search.days) : null}
          onChange={(days) => set({ days: days ? Number(days) : undefined })}
          clearable
          clearButtonProps={{ "aria-label": "Any time" }}
        />
        <Select
          aria-label="Kind of task"
          className={classes.choice}
          data={KINDS}
          value={search.kind ?? "run"}
          onChange={(kind) => set({ kind: kind && kind !== "run" ? kind : undefined })}
          allowDeselect={false}
        />
        <Select
          aria-label="Sort by"
          className={classes.choice}
          data={SORTS}
          value={search.sort ?? NEWEST_FIRST}
          onChange={(sort) => set({ sort: sort && sort !== NEWEST_FIRST ? sort : undefined })}
          allowDeselect={false}
        />
        <Whose search={search} onChange={set} />
        <TagFilter value={search.tag} onChange={(tag) => set({ tag })} />
        <ColumnChooser
          tasks={tasks}
          chosen={columnsOf(search.columns)}
          onChange={(columns) => set({ columns: columnsText(columns) })}
        />
        <TaskViews />
        {isFiltered(search) && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => change(({ sort, columns }) => ({ sort, columns }))}
          >
            Clear filters
          </Button>
        )}
      </Group>
    </search>
  );
}

function TagFilter({ value, onChange }: { value?: string; onChange: (tag?: string) => void }) {
  const known = useQuery(tagsQuery).data?.items ?? [];
  if (!known.length && !value) return null;
  const tags = known.map(({ tag }) => tag);
  return (
    <Select
      aria-label="Tag"
      placeholder="Any tag"
      className={classes.choice}
      data={value && !tags.includes(value) ? [value, ...tags] : tags}
      value={value ?? null}
      onChange={(tag) => onChange(tag ?? undefined)}
      clearable
      clearButtonProps={{ "aria-label": "Any tag" }}
      searchable={tags.length > 8}
    />
  );
}

type WhoseProps = { search: TasksSearch; onChange: (part: TasksSearch) => void };

/** Of a shared Diamond: your own tasks, everyone's in a project, or all that you may see. */
function Whose({ search, onChange }: WhoseProps) {
  const { data: me } = useQuery(meQuery);
  const isShared = me?.mode === "shared";
  const projects = useQuery({ ...projectsQuery, enabled: isShared }).data?.items ?? [];
  if (!isShared) return null;
  const value = search.project ? `project:${search.project}` : (search.whose ?? "mine");
  const change = (next: string | null) => {
    const project = next?.startsWith("project:") ? next.slice("project:".length) : undefined;
    const whose = next === "others" || next === "all" ? next : undefined;
    onChange({ project, whose });
  };
  return (
    <Select
      aria-label="Whose tasks"
      className={classes.choice}
      data={[
        { value: "mine", label: "My tasks" },
        { value: "others", label: "Shared with me" },
        { value: "all", label: "Mine and shared" },
        ...projects.map(({ id, name }) => ({ value: `project:${id}`, label: `Project ${name}` })),
      ]}
      value={value}
      onChange={change}
      allowDeselect={false}
    />
  );
}

type StatesProps = {
  search: TasksSearch;
  counts: Schemas["TaskCounts"] | undefined;
  onChange: (change: (now: TasksSearch) => TasksSearch) => void;
};

function States({ search, counts, onChange }: StatesProps) {
  const chosen = statesOf(search);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a form
    <div role="group" aria-label="States" className={classes.states}>
      <Chip
        name="all"
        count={counts?.total}
        pressed={chosen.length === 0}
        onClick={() => onChange((now) => ({ ...now, state: undefined }))}
      />
      {TASK_STATES.map((state) => (
        <Chip
          key={state}
          name={state}
          count={counts?.counts[state as keyof Schemas["StateCounts"]]}
          pressed={chosen.includes(state)}
          onClick={() => onChange((now) => toggleState(now, state))}
        />
      ))}
    </div>
  );
}

type ChipProps = { name: string; count?: number; pressed: boolean; onClick: () => void };

function Chip({ name, count, pressed, onClick }: ChipProps) {
  return (
    <button
      type="button"
      className={classes.chip}
      data-state={name}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {name}
      <span className={classes.count}>{count?.toLocaleString() ?? "…"}</span>
    </button>
  );
}

/** Sends the search after a short pause in typing. */
function SearchField({ value, onChange }: { value: string; onChange: (text?: string) => void }) {
  const [typed, setTyped] = useState(value);
  const send = useDebouncedCallback((text: string) => onChange(text || undefined), TYPING_PAUSE);
  useEffect(() => setTyped(value), [value]);
  const type = (text: string) => {
    setTyped(text);
    send(text);
  };
  return (
    <TextInput
      type="search"
      aria-label="Search tasks"
      placeholder="Search by name, node, reason or id"
      className={classes.words}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={
        typed && <CloseButton size="sm" aria-label="Clear search" onClick={() => type("")} />
      }
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
