import { Button, Group, Menu } from "@mantine/core";
import {
  IconArrowsDiff,
  IconChevronDown,
  IconCloudDownload,
  IconEraser,
  IconHammer,
  IconPackage,
} from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { listImages } from "~/images/api";
import { toggled } from "~/lib/sets";
import { ImageFilters } from "./ImageFilters";
import { ImageTable } from "./ImageTable";
import { PruneDialog } from "./PruneDialog";
import { PullDialog } from "./PullDialog";
import type { Dialog } from "./search";

/** All images: search, compare, pull, clean up. */
export function Images() {
  const { search = "", endpoint = "", dialog, shared = false } = useSearch({ from: "/images" });
  const navigate = useNavigate({ from: "/images" });
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const query = useInfiniteQuery({
    queryKey: [...keys.images, "list", search, endpoint, shared],
    queryFn: ({ pageParam }) =>
      listImages({ search, endpoint, shared, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
  });
  const show = (next?: Dialog) => void navigate({ search: (now) => ({ ...now, dialog: next }) });
  const isFiltered = Boolean(search || endpoint || shared);
  return (
    <Page
      title="Images"
      lead="Environments for your programs: build once, use on every endpoint."
      actions={<Actions onShow={show} />}
      wide
    >
      <Group justify="space-between" mb="md" gap="xs">
        <ImageFilters />
        <CompareButton picked={[...picked]} />
      </Group>
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {({ pages }) => {
          const images = pages.flatMap((page) => page.items);
          if (!images.length) return <NoImages isFiltered={isFiltered} />;
          return (
            <>
              <ImageTable
                images={images}
                picked={picked}
                onPick={(id) => setPicked(toggled(picked, id))}
              />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
      {dialog === "pull" && <PullDialog onClose={() => show()} />}
      {dialog === "prune" && <PruneDialog onClose={() => show()} />}
    </Page>
  );
}

function Actions({ onShow }: { onShow: (dialog: Dialog) => void }) {
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconCloudDownload size={16} aria-hidden />}
            onClick={() => onShow("pull")}
          >
            Pull from a registry…
          </Menu.Item>
          <Menu.Item
            leftSection={<IconEraser size={16} aria-hidden />}
            onClick={() => onShow("prune")}
          >
            Free up space…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <BuildButton />
    </>
  );
}

function BuildButton() {
  return (
    <Button
      leftSection={<IconHammer size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/build" {...props} />}
    >
      Build image
    </Button>
  );
}

function CompareButton({ picked }: { picked: string[] }) {
  const [a, b] = picked;
  if (picked.length !== 2 || !a || !b) return null;
  return (
    <Button
      variant="light"
      leftSection={<IconArrowsDiff size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/images/compare" search={{ a, b }} {...props} />}
    >
      Compare
    </Button>
  );
}

function NoImages({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={IconPackage} title="No matching images">
        Try part of the name, a package, the base, or the start of a digest.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconPackage} title="No images yet" action={<BuildButton />}>
      An image contains everything a program needs: operating system, libraries, Python packages.
      Build it once, from a requirements.txt or a Dockerfile if you have one, and use it on all your
      clusters.
    </EmptyState>
  );
}
