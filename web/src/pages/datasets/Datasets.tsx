import { Button, Group, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconDatabase, IconPlus, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { keys } from "~/api/queryKeys";
import { CodeText } from "~/components/CodeText";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { listDatasets } from "~/datasets/api";
import { meQuery } from "~/people/me";
import { AddDataDialog } from "./AddDataDialog";
import { DatasetTable } from "./DatasetTable";
import type { DatasetsSearch } from "./search";

const TYPING_PAUSE = 250;
const EXAMPLE = "diamond data add era5 /scratch/era5 --on mycluster";
const OWNERS = [
  { value: "mine", label: "Mine" },
  { value: "others", label: "Shared with me" },
];

/** All datasets of the reader, or those shared with them. */
export function Datasets() {
  const { search = "", shared = false } = useSearch({ from: "/datasets" });
  const query = useInfiniteQuery({
    queryKey: [...keys.datasets, "list", search, shared],
    queryFn: ({ pageParam }) => listDatasets({ search, shared, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Datasets"
      lead="Data with a name and fixed versions. Jobs name them, and Diamond brings them to the endpoint."
      actions={<AddButton />}
      wide
    >
      <Filters search={search} shared={shared} />
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {({ pages }) => {
          const datasets = pages.flatMap((page) => page.items);
          if (!datasets.length) return <NoDatasets isFiltered={Boolean(search || shared)} />;
          return (
            <>
              <DatasetTable datasets={datasets} />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

function AddButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        Add data
      </Button>
      {isOpen && <AddDataDialog onClose={close} />}
    </>
  );
}

function Filters({ search, shared }: { search: string; shared: boolean }) {
  const navigate = useNavigate({ from: "/datasets" });
  const { data: me } = useQuery(meQuery);
  const [typed, setTyped] = useState(search);
  useEffect(() => setTyped(search), [search]);
  const set = (part: DatasetsSearch) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const later = useDebouncedCallback(
    (text: string) => set({ search: text || undefined }),
    TYPING_PAUSE,
  );
  return (
    <search>
      <Group gap="xs" mb="md">
        <TextInput
          aria-label="Search datasets"
          placeholder="Search by name or description"
          w={300}
          maw="100%"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            later(event.currentTarget.value.trim());
          }}
        />
        {me?.mode === "shared" && (
          <SegmentedControl
            aria-label="Owner"
            size="xs"
            data={OWNERS}
            value={shared ? "others" : "mine"}
            onChange={(whose) => set({ shared: whose === "others" ? true : undefined })}
          />
        )}
      </Group>
    </search>
  );
}

function NoDatasets({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={IconDatabase} title="No matching datasets">
        Try part of the name or description.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconDatabase} title="No datasets yet">
      Give data a name: files on an endpoint, which stay where they are, or a URL that an endpoint
      fetches.
      <CodeText label="Example" text={EXAMPLE} short />
    </EmptyState>
  );
}
