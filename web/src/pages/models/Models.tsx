import { Button, CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconBrain, IconSearch, IconUpload } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { keys } from "~/api/queryKeys";
import { CodeText } from "~/components/CodeText";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { listModels } from "~/models/api";
import { ModelTable } from "./ModelTable";

const PushDialog = lazy(() => import("./PushDialog"));
const TYPING_PAUSE = 250;
const EXAMPLE = `from diamond import training

training.save_model(model, "digits")`;

/** All models of the reader and those shared with them. */
export function Models() {
  const { search = "" } = useSearch({ from: "/models" });
  const query = useInfiniteQuery({
    queryKey: [...keys.models, "list", search],
    queryFn: ({ pageParam }) => listModels({ search, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Models"
      lead="What your trainings made: versions, aliases and cards."
      actions={<PushButton />}
      wide
    >
      <SearchField value={search} />
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {({ pages }) => {
          const models = pages.flatMap((page) => page.items);
          if (!models.length) return <NoModels isFiltered={Boolean(search)} />;
          return (
            <>
              <ModelTable models={models} />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

function PushButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={open}>
        Push
      </Button>
      <Suspense>{isOpen && <PushDialog onClose={close} />}</Suspense>
    </>
  );
}

function SearchField({ value }: { value: string }) {
  const navigate = useNavigate({ from: "/models" });
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const later = useDebouncedCallback(
    (text: string) => void navigate({ search: { search: text || undefined }, replace: true }),
    TYPING_PAUSE,
  );
  const type = (text: string) => {
    setTyped(text);
    later(text.trim());
  };
  return (
    <search>
      <TextInput
        aria-label="Search models"
        placeholder="Search by name, description or tag"
        mb="md"
        w={300}
        maw="100%"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        rightSection={
          typed ? (
            <CloseButton size="sm" aria-label="Clear search" onClick={() => type("")} />
          ) : null
        }
      />
    </search>
  );
}

function NoModels({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={IconBrain} title="No matching models">
        Try part of the name, the description or a tag.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconBrain} title="No models yet">
      Save one in your training, then give it a name on the task’s page. You can also push a folder
      that you have.
      <CodeText label="Example" text={EXAMPLE} short />
    </EmptyState>
  );
}
