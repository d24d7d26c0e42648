import { ActionIcon, CloseButton, Group, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle, IconChevronDown, IconChevronUp, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Schemas } from "~/api/client";
import { count } from "~/lib/format";
import classes from "./Log.module.css";
import { searchLog, type Which } from "./which";

type SearchProps = {
  task: string;
  which: Which;
  text: string;
  onText: (text: string) => void;
  onGoTo: (offset: number) => void;
};

/** Find a text in the whole log, also in what lies on the endpoint alone. */
export function LogSearch({ task, which, text, onText, onGoTo }: SearchProps) {
  const [sought] = useDebouncedValue(text.trim(), 300);
  const [at, setAt] = useState(-1);
  const found = useMatches(task, which, sought);
  const { matches } = found;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins anew
  useEffect(() => setAt(-1), [sought]);

  const isReady = sought === text.trim() && !found.pending;
  const [isEager, setEager] = useState(false);
  // Enter came before the answer: what was found is gone to once it is there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the answer matters
  useEffect(() => {
    if (!isEager || !isReady) return;
    setEager(false);
    void go(1);
  }, [isEager, isReady]);

  async function go(step: 1 | -1): Promise<void> {
    if (at + step >= matches.length && found.hasMore) await found.readMore();
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
          if (event.key === "Enter" && !isReady) setEager(true);
          else if (event.key === "Enter") void go(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onText("");
        }}
      />
      {sought && (
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
            {found.error?.message ?? (found.pending ? "Searching…" : foundWords(at, found))}
          </Text>
          {found.reason && (
            <Text size="xs" className={classes.warning}>
              <IconAlertTriangle size={14} aria-hidden /> {found.reason}
            </Text>
          )}
        </>
      )}
    </Group>
  );
}

function useMatches(task: string, which: Which, sought: string) {
  const query = useInfiniteQuery({
    queryKey: ["log-search", task, which, sought],
    queryFn: ({ pageParam }) => searchLog(task, which, sought, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page: Schemas["LogMatches"]) => page.next,
    enabled: sought.length > 0,
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

function foundWords(at: number, found: ReturnType<typeof useMatches>): string {
  const many = found.matches.length;
  if (!many) return found.reason ? "No match in the saved part" : "No match";
  const all = found.hasMore ? `${many.toLocaleString()}+ matches` : count(many, "match", "matches");
  const where = found.onEndpoint ? ", including on the endpoint" : "";
  return at < 0 ? `${all}${where}` : `${at + 1} of ${all}`;
}
