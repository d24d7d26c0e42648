import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import classes from "./Composer.module.css";
import { JobEditor } from "./JobEditor";
import { EarlierTasks } from "./start/EarlierTasks";
import { RecipeGallery } from "./start/RecipeGallery";
import { StartFrom } from "./start/StartFrom";
import { type Source, sourceKey, sourceOf, sourceQuery } from "./start/source";

/** The job composer: fill in a form or write YAML, or start from a recipe or an earlier task. */
export function Composer() {
  const search = useSearch({ from: "/compose" });
  const source = sourceOf(search);
  const start = <StartFrom search={search} />;
  return (
    <Page title="New job" lead="Choose what to run. Everything else has a default." wide>
      <Stack gap="md">
        {source ? (
          <LoadedEditor key={sourceKey(source)} source={source} start={start} />
        ) : (
          <>
            <div>{start}</div>
            {search.start === "recipe" ? <RecipeGallery /> : <EarlierTasks />}
          </>
        )}
      </Stack>
    </Page>
  );
}

function LoadedEditor({ source, start }: { source: Source; start: ReactNode }) {
  const query = useQuery(sourceQuery(source));
  if (query.data) return <JobEditor source={source} initial={query.data} start={start} />;
  return (
    <>
      <div>{start}</div>
      <QueryResult query={query} loading={<Loading />}>
        {() => null}
      </QueryResult>
    </>
  );
}

function Loading() {
  return (
    <div className={classes.columns} role="status" aria-label="Loading">
      <Stack>
        <Skeleton height={300} />
        <Skeleton height={180} />
      </Stack>
      <Skeleton height={480} />
    </div>
  );
}
