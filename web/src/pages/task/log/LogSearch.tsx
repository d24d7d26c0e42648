import { ActionIcon, CloseButton, Group, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle, IconChevronDown, IconChevronUp, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Schemas } from "~/api/client";
import { count } from "~/lib/format";
import classes from "./Log.module.css";
import type { LogSource } from "./logSource";

type SearchProps = {
  task: string;
  source: LogSource;
  text: string;
  onText: (text: string) => void;
  onGoTo: (offset: number) => void;
};

/** Searches the whole log, including what is only on the endpoint. */
export function LogSearch({ task, source, text, onText, onGoTo }: SearchProps) {
  const [search] = useDebouncedValue(text.trim(), 300);
  const [at, setAt] = useState(-1);
  const result = useMatches(task, source, search);
  const { matches } = result;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search starts over
  useEffect(() => setAt(-1), [search]);

  const isReady = search === text.trim() && !result.pending;
  const [isEnterPending, setEnterPending] = useState(false);
  // Enter was pressed before the results arrived: jump to the first match once they do.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the answer matters
  useEffect(() => {
    if (!isEnterPending || !isReady) return;
    setEnterPending(false);
    void go(1);
  }, [isEnterPending, isReady]);

  async function go(step: 1 | -1): Promise<void> {
    if (at + step >= matches.length && result.hasMore) await result.readMore();
    if (!matches.length) return;
    const next = (Math.max(at, step > 0 ? -1 : 0) + step + matches.length) % matches.length;
    setAt(next);
    onGoTo(matches[next]?.at ?? 0);
  }

  return (
    <Group gap={6} wrap="nowrap" className={classes.search} role="search">
      <TextInput
        size="xs"
        aria-label="Find in the log"
        placeholder="Find in the log"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          text && <CloseButton size="xs" aria-label="Clear search" onClick={() => onText("")} />
        }
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !isReady) setEnterPending(true);
          else if (event.key === "Enter") void go(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onText("");
        }}
      />
      {search && (
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Previous match"
            onClick={() => void go(-1)}
          >
            <IconChevronUp size={16} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Next match"
            onClick={() => void go(1)}
          >
            <IconChevronDown size={16} />
          </ActionIcon>
          <Text size="xs" role="status" className={classes.found}>
            {result.error?.message ?? (result.pending ? "Searching…" : matchText(at, result))}
          </Text>
          {result.reason && (
            <Text size="xs" className={classes.warning}>
              <IconAlertTriangle size={14} aria-hidden /> {result.reason}
            </Text>
          )}
        </>
      )}
    </Group>
  );
}

function useMatches(task: string, source: LogSource, search: string) {
  const query = useInfiniteQuery({
    queryKey: ["log-search", task, source.key, source.stream, search],
    queryFn: ({ pageParam }) => source.search(search, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page: Schemas["LogMatches"]) => page.next,
    enabled: search.length > 0,
  });
  const pages = query.data?.pages ?? [];
  return {
    matches: pages.flatMap((page) => page.items),
    reason: pages.find((page) => !page.complete)?.reason ?? "",
    onEndpoint: pages.some((page) => page.searched_on.includes("cluster")),
    hasMore: query.hasNextPage,
    readMore: query.fetchNextPage,
    pending: query.isFetching,
    error: query.error,
  };
}

function matchText(at: number, result: ReturnType<typeof useMatches>): string {
  const many = result.matches.length;
  if (!many) return result.reason ? "No match in the saved part" : "No match";
  const all = result.hasMore
    ? `${many.toLocaleString()}+ matches`
    : count(many, "match", "matches");
  const where = result.onEndpoint ? ", including on the endpoint" : "";
  return at < 0 ? `${all}${where}` : `${at + 1} of ${all}`;
}
