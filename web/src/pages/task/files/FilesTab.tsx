import { Anchor, Breadcrumbs, Button, Card, Grid, Group, Stack, Text, Title } from "@mantine/core";
import {
  IconChartBar,
  IconDownload,
  IconFile,
  IconFileText,
  IconFolder,
  IconFolderOff,
  IconLink,
  IconNotebook,
  IconPhoto,
  type TablerIcon,
} from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { api, dataOf, ProblemError, type Schemas, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { formatBytes } from "~/lib/format";
import { isSettled } from "~/tasks/state";
import classes from "./Files.module.css";
import { Preview } from "./Preview";

type Entry = Schemas["FileEntry"];

/** The run directory, with a preview of files. */
export function FilesTab({ task }: { task: Task }) {
  const { path = "" } = useSearch({ from: "/tasks/$task" });
  const isFolder = path === "" || path.endsWith("/");
  const folder = isFolder ? path.replace(/\/$/, "") : parentOf(path);
  const query = useInfiniteQuery({
    queryKey: [...keys.files, task.id, folder],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET("/api/v1/tasks/{task}/files", {
          params: { path: { task: task.id }, query: { path: folder, cursor: pageParam || null } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    select: ({ pages }) => pages.flatMap((page) => page.items),
    retry: false,
    refetchInterval: isSettled(task) ? false : 10_000,
  });
  useLoadUntil(isFolder ? "" : path, query);
  if (query.error instanceof ProblemError && query.error.code === "cleaned") {
    return (
      <EmptyState icon={IconFolderOff} title={query.error.message}>
        {query.error.hint}
      </EmptyState>
    );
  }
  return (
    <Stack>
      <Group justify="space-between">
        <FolderPath task={task} folder={folder} />
        {(query.data?.length ?? 0) > 0 && <ZipButtons task={task} folder={folder} />}
      </Group>
      <Grid>
        <Grid.Col span={{ base: 12, md: isFolder ? 12 : 5 }}>
          <Card p={0} component="section" aria-label="Files">
            <QueryResult query={query}>
              {(items) => <Entries task={task} items={items} shown={path} />}
            </QueryResult>
            <LoadMore query={query}>Load more files</LoadMore>
          </Card>
        </Grid.Col>
        {!isFolder && (
          <Grid.Col span={{ base: 12, md: 7 }}>
            <QueryResult query={query}>
              {(items) => (
                <Preview key={path} task={task} path={path} entry={entryAt(items, path)} />
              )}
            </QueryResult>
          </Grid.Col>
        )}
      </Grid>
    </Stack>
  );
}

/** Everything in this folder as one file. */
function ZipButtons({ task, folder }: { task: Task; folder: string }) {
  const address = (what: string) =>
    `/api/v1/tasks/${task.id}/files.zip?${new URLSearchParams({ path: folder, what })}`;
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        component="a"
        href={address("results")}
        download
        leftSection={<IconDownload size={14} aria-hidden />}
      >
        Results (zip)
      </Button>
      <Button size="xs" variant="subtle" component="a" href={address("all")} download>
        Everything (zip)
      </Button>
    </Group>
  );
}

type FileQuery = {
  data: Entry[] | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage: () => unknown;
};

/** A linked file may be beyond the first page of its folder. */
function useLoadUntil(
  path: string,
  { data, hasNextPage, isFetching, fetchNextPage }: FileQuery,
): void {
  const isMissing = Boolean(path && data && !entryAt(data, path));
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetching) void fetchNextPage();
  }, [isMissing, hasNextPage, isFetching, fetchNextPage]);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function entryAt(items: Entry[], path: string): Entry | undefined {
  return items.find((item) => item.path === path);
}

/** The path from the run directory to this folder. */
function FolderPath({ task, folder }: { task: Task; folder: string }) {
  const names = folder ? folder.split("/") : [];
  const steps = names.map((name, n) => ({ name, path: `${names.slice(0, n + 1).join("/")}/` }));
  return (
    <nav aria-label="Folders">
      <Breadcrumbs>
        {[{ name: "Run directory", path: undefined }, ...steps].map(({ name, path }) => (
          <Anchor key={path ?? ""} size="sm" renderRoot={fileLink(task.id, path)}>
            {name}
          </Anchor>
        ))}
      </Breadcrumbs>
    </nav>
  );
}

function fileLink(task: string, path: string | undefined) {
  return (props: object) => (
    <Link to="/tasks/$task" params={{ task }} search={{ tab: "files", path }} {...props} />
  );
}

const ICONS: Record<string, TablerIcon> = {
  image: IconPhoto,
  table: IconChartBar,
  notebook: IconNotebook,
  text: IconFileText,
};

function Entries({ task, items, shown }: { task: Task; items: Entry[]; shown: string }) {
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        This folder is empty.
      </Text>
    );
  }
  const sorted = items.toSorted(foldersFirst);
  const inputs = sorted.filter(({ origin }) => origin === "input");
  const results = sorted.filter(({ origin }) => origin !== "input");
  const list = (entries: Entry[]) => (
    <ul className={classes.entries}>
      {entries.map((entry) => (
        <EntryRow key={entry.path} task={task} entry={entry} shown={entry.path === shown} />
      ))}
    </ul>
  );
  if (!inputs.length || !results.length) return list(sorted);
  return (
    <>
      <Title order={2} fz="sm" className={classes.part}>
        Results
      </Title>
      {list(results)}
      <Title order={2} fz="sm" className={classes.part}>
        Came with the job
      </Title>
      {list(inputs)}
    </>
  );
}

function foldersFirst(a: Entry, b: Entry): number {
  const rank = (entry: Entry) => (entry.kind === "folder" ? 0 : 1);
  return rank(a) - rank(b) || a.path.localeCompare(b.path, undefined, { numeric: true });
}

function EntryRow({ task, entry, shown }: { task: Task; entry: Entry; shown: boolean }) {
  const isFolder = entry.kind === "folder";
  const Icon = isFolder
    ? IconFolder
    : entry.kind === "link"
      ? IconLink
      : (ICONS[entry.preview ?? "none"] ?? IconFile);
  return (
    <li className={classes.entry} data-shown={shown || undefined}>
      <Group gap="sm" wrap="nowrap" className={classes.name}>
        <Icon size={17} stroke={1.6} aria-hidden className={classes.icon} />
        <Anchor
          size="sm"
          aria-current={shown ? "true" : undefined}
          renderRoot={fileLink(task.id, isFolder ? `${entry.path}/` : entry.path)}
        >
          {entry.path.split("/").at(-1)}
          {isFolder && "/"}
        </Anchor>
      </Group>
      <Text size="xs" className={classes.number}>
        {!isFolder && entry.size != null && formatBytes(entry.size)}
      </Text>
      <Text size="xs" className={classes.number}>
        {entry.modified != null && <TimeAgo at={entry.modified} />}
      </Text>
    </li>
  );
}
