import { Button, Card, Group, MultiSelect, Stack, TagsInput, Text } from "@mantine/core";
import { IconArrowsDiff, IconDownload, IconTable } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { count } from "~/lib/format";
import { columnNamesQuery, exportAddress, type RunTable, runsQuery } from "~/runs/api";
import { columnTitle } from "~/runs/cells";
import { SavedViews } from "~/views/SavedViews";
import { GroupTable } from "./GroupTable";
import { RunGrid } from "./RunGrid";
import {
  listOf,
  nextSort,
  queryOf,
  type RunsSearch,
  searchOfView,
  textOf,
  viewQueryOf,
} from "./search";

const FIRST = 200;
const MOST_COMPARED = 10;

/** Many runs in one table. */
export function Runs() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const query = queryOf(search);
  const [limit, setLimit] = useState(FIRST);
  const [chosen, setChosen] = useState<string[]>([]);
  const table = useQuery(runsQuery(query, limit));
  const set = (change: RunsSearch) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  return (
    <Page
      title="Runs"
      lead="Parameters, metrics and times of many tasks in one table."
      wide
      actions={
        <>
          <SavedViews
            page="runs"
            query={viewQueryOf(search)}
            project={search.project}
            onOpen={(view) => void navigate({ search: searchOfView(view.query, view.project) })}
          />
          <Button
            component="a"
            href={exportAddress(query)}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            CSV
          </Button>
          <CompareButton chosen={chosen} />
        </>
      }
    >
      <Stack gap="md">
        <Controls search={search} onChange={set} />
        <QueryResult query={table}>
          {(data) => (
            <Rows
              data={data}
              search={search}
              chosen={chosen}
              onChoose={setChosen}
              onSort={(column) => set({ sort: textOf(nextSort(query.sort, column)) })}
              onMore={() => setLimit((now) => now * 5)}
            />
          )}
        </QueryResult>
      </Stack>
    </Page>
  );
}

function CompareButton({ chosen }: { chosen: string[] }) {
  const isReady = chosen.length > 1 && chosen.length <= MOST_COMPARED;
  const icon = <IconArrowsDiff size={16} aria-hidden />;
  const label = chosen.length ? `Compare (${chosen.length})` : "Compare";
  if (!isReady) {
    return (
      <Button leftSection={icon} disabled title="Select two to ten runs">
        {label}
      </Button>
    );
  }
  return (
    <Button
      leftSection={icon}
      renderRoot={(props) => <Link to="/compare" search={{ runs: chosen.join(",") }} {...props} />}
    >
      {label}
    </Button>
  );
}

type ControlsProps = { search: RunsSearch; onChange: (change: RunsSearch) => void };

function Controls({ search, onChange }: ControlsProps) {
  const { data } = useQuery(columnNamesQuery(search.project ?? ""));
  const query = queryOf(search);
  const named = (prefix: string, names: string[] = []) => names.map((name) => `${prefix}.${name}`);
  const own = data?.own.map(({ name }) => name) ?? [];
  const params = named("param", data?.params);
  const metrics = ["metric", "best", "min", "max"].flatMap((each) => named(each, data?.metrics));
  const rest = [...named("data", data?.data), ...named("tag", data?.tags)];
  const offered = new Set([...own, ...params, ...metrics, ...rest]);
  const groups = [
    { group: "Every run", items: options(own) },
    { group: "Parameters", items: options(params) },
    { group: "Metrics", items: options(metrics) },
    { group: "Data and tags", items: options(rest) },
    { group: "Chosen", items: options(query.column.filter((name) => !offered.has(name))) },
  ].filter(({ items }) => items.length);
  return (
    <Group align="flex-end" gap="sm">
      <MultiSelect
        label="Columns"
        style={{ flex: "2 1 320px" }}
        data={groups}
        value={query.column}
        onChange={(columns) => onChange({ columns: textOf(columns) })}
        searchable
        hidePickedOptions
        nothingFoundMessage="No run has such a parameter or metric"
      />
      <TagsInput
        label="Filters"
        style={{ flex: "1 1 240px" }}
        placeholder="param.lr>0.01, state=failed"
        value={listOf(search.filters)}
        onChange={(filters) => onChange({ filters: textOf(filters) })}
        splitChars={[]}
      />
      <MultiSelect
        label="Group by"
        style={{ flex: "1 1 180px" }}
        placeholder={query.group.length ? undefined : "A parameter"}
        data={options([...params, ...own])}
        value={query.group}
        onChange={(group) => onChange({ group: textOf(group) })}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Do not group" }}
        maxValues={4}
      />
    </Group>
  );
}

function options(names: string[]) {
  return names.map((value) => ({ value, label: columnTitle(value) }));
}

type RowsProps = {
  data: RunTable;
  search: RunsSearch;
  chosen: string[];
  onChoose: (chosen: string[]) => void;
  onSort: (column: string) => void;
  onMore: () => void;
};

function Rows({ data, search, chosen, onChoose, onSort, onMore }: RowsProps) {
  if (data.total === 0) {
    const isFiltered = Boolean(search.filters);
    return (
      <EmptyState icon={IconTable} title={isFiltered ? "No runs match" : "No runs yet"}>
        {isFiltered
          ? "Remove a filter to see more."
          : "Submit a job, and its parameters and metrics appear here."}
      </EmptyState>
    );
  }
  const { group } = queryOf(search);
  if (group.length) return <GroupTable data={data} by={group} />;
  return (
    <>
      <Card padding={0}>
        <RunGrid
          data={data}
          sort={queryOf(search).sort[0] ?? ""}
          chosen={chosen}
          onChoose={onChoose}
          onSort={onSort}
        />
      </Card>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {data.rows.length} of {count(data.total, "run")}
          {!data.is_complete && `, among the newest ${data.looked_at}`}
        </Text>
        {data.next && (
          <Button variant="default" size="xs" onClick={onMore}>
            Show more
          </Button>
        )}
      </Group>
    </>
  );
}
