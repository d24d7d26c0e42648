import { Button, Menu } from "@mantine/core";
import { IconChevronDown, IconDownload, IconHistory } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { AuditTable } from "./AuditTable";
import { Filters } from "./Filters";
import { auditFilters, exportUrl } from "./search";

/** Who did what, from where and with which credential. Append-only. */
export function Audit() {
  const search = useSearch({ from: "/audit" });
  // Computed once per search, not on every render.
  const filters = useMemo(() => auditFilters(search, Date.now() / 1000), [search]);
  const query = useInfiniteQuery({
    queryKey: [...keys.audit, search],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET("/api/v1/audit", {
          params: { query: { ...filters, newest_first: true, limit: 100, before: pageParam } },
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.next ? Number(page.next) : undefined),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Audit log"
      lead="Every change made on this Diamond, newest first. Entries cannot be edited or deleted."
      actions={<ExportMenu filters={filters} />}
    >
      <Filters />
      <QueryResult query={query} loading={<SkeletonLines count={8} height={32} />}>
        {({ pages }) => {
          const lines = pages.flatMap((page) => page.items);
          if (!lines.length) {
            return (
              <EmptyState icon={IconHistory} title="No matching entries">
                Try fewer words, a longer period, or all people.
              </EmptyState>
            );
          }
          return (
            <>
              <AuditTable lines={lines} />
              <LoadMore query={query}>Load older entries</LoadMore>
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

/** Exports everything that matches the filters. */
function ExportMenu({ filters }: { filters: ReturnType<typeof auditFilters> }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={16} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportUrl(filters, "csv")} download>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={exportUrl(filters, "jsonl")} download>
          JSON lines
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
