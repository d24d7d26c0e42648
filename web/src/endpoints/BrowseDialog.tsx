import { Alert, Anchor, Breadcrumbs, Button, Group, Text, UnstyledButton } from "@mantine/core";
import { IconFile, IconFolder } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { FormDialog } from "~/components/FormDialog";
import { LoadMore } from "~/components/LoadMore";
import { SkeletonLines } from "~/components/SkeletonLines";
import { formatBytes } from "~/lib/format";
import { endpointsApi } from "./api";
import classes from "./BrowseDialog.module.css";
import { foldersOf } from "./browsePath";

type Item = Schemas["BrowsedItem"];
type BrowseDialogProps = {
  endpoint: string;
  onChoose: (path: string) => void;
  onClose: () => void;
};

/** Find a folder or a file on an endpoint. Its agent decides what can be seen. */
export function BrowseDialog({ endpoint, onChoose, onClose }: BrowseDialogProps) {
  const [folder, setFolder] = useState("");
  const [file, setFile] = useState<string>();
  const query = useInfiniteQuery({
    queryKey: ["browse", endpoint, folder],
    queryFn: ({ pageParam }) => endpointsApi.browse(endpoint, folder, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    retry: false,
    staleTime: 10_000,
  });
  const pages = query.data?.pages ?? [];
  const here = pages[0]?.folder ?? folder;
  const items = pages.flatMap((page) => page.items);
  const open = (path: string) => {
    setFile(undefined);
    setFolder(path);
  };
  const chosen = file ?? here;
  return (
    <FormDialog
      title={`Files on ${endpoint}`}
      submitLabel={file ? "Use this file" : "Use this folder"}
      size="lg"
      isPending={false}
      isReady={chosen !== ""}
      error={null}
      onSubmit={() => onChoose(chosen)}
      onClose={onClose}
    >
      <Trail folder={here} onOpen={open} />
      {query.isPending && <SkeletonLines />}
      {query.error && <ErrorAlert error={query.error} />}
      {query.data && (
        <ItemList items={items} chosen={file} onOpen={open} onChoose={setFile} isTop={!here} />
      )}
      <LoadMore query={query} />
      {pages.some((page) => page.is_cut) && (
        <Alert>This folder has too many entries to show them all. Type the path instead.</Alert>
      )}
      {chosen && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          Chosen: {chosen}
        </Text>
      )}
    </FormDialog>
  );
}

function Trail({ folder, onOpen }: { folder: string; onOpen: (path: string) => void }) {
  return (
    <Breadcrumbs separatorMargin={4} style={{ flexWrap: "wrap" }}>
      <Anchor component="button" type="button" size="sm" onClick={() => onOpen("")}>
        Start
      </Anchor>
      {foldersOf(folder).map(({ name, path }) => (
        <Anchor key={path} component="button" type="button" size="sm" onClick={() => onOpen(path)}>
          {name}
        </Anchor>
      ))}
    </Breadcrumbs>
  );
}

type ItemListProps = {
  items: Item[];
  chosen: string | undefined;
  isTop: boolean;
  onOpen: (path: string) => void;
  onChoose: (path: string) => void;
};

function ItemList({ items, chosen, isTop, onOpen, onChoose }: ItemListProps) {
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {isTop
          ? "Browsing is not allowed on this machine. Type the path instead."
          : "This folder is empty."}
      </Text>
    );
  return (
    <ul className={classes.list} aria-label="Files and folders">
      {items.map((item) => (
        <li key={item.path}>
          <UnstyledButton
            className={classes.item}
            type="button"
            disabled={!item.is_usable}
            data-disabled={!item.is_usable || undefined}
            data-chosen={item.path === chosen || undefined}
            aria-pressed={item.kind === "file" ? item.path === chosen : undefined}
            title={item.is_usable ? undefined : "Jobs cannot use a path with these characters."}
            onClick={() => (item.kind === "folder" ? onOpen(item.path) : onChoose(item.path))}
          >
            {item.kind === "folder" ? (
              <IconFolder size={16} aria-label="Folder" />
            ) : (
              <IconFile size={16} aria-label="File" />
            )}
            <Text size="sm" className={classes.name} c={item.is_usable ? undefined : "dimmed"}>
              {item.name}
            </Text>
            <Group gap="xs" wrap="nowrap">
              {item.size != null && (
                <Text size="xs" c="dimmed">
                  {formatBytes(item.size)}
                </Text>
              )}
            </Group>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

/** A button that opens the dialog. */
export function BrowseButton({
  endpoint,
  label,
  onChoose,
}: {
  endpoint: string;
  label: string;
  onChoose: (path: string) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="sm"
        px="sm"
        aria-label={label}
        onClick={() => setIsOpen(true)}
      >
        Browse
      </Button>
      {isOpen && (
        <BrowseDialog
          endpoint={endpoint}
          onClose={() => setIsOpen(false)}
          onChoose={(path) => {
            setIsOpen(false);
            onChoose(path);
          }}
        />
      )}
    </>
  );
}
