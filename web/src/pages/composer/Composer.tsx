import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Answer } from "~/components/Answer";
import { Page } from "~/components/Page";
import classes from "./Composer.module.css";
import { Editor } from "./Editor";
import { EarlierTasks } from "./start/EarlierTasks";
import { Gallery } from "./start/Gallery";
import { StartWith } from "./start/StartWith";
import { type Source, sourceKey, sourceOf, sourceQuery } from "./start/source";

/** Say what to run, where, with how much and with what; or begin from a recipe or an earlier task. */
export function Composer() {
  const search = useSearch({ from: "/compose" });
  const source = sourceOf(search);
  return (
    <Page title="New job" lead="Say what to run. Everything else has a default." wide>
      <Stack gap="md">
        <div>
          <StartWith search={search} />
        </div>
        {source ? (
          <Filled key={sourceKey(source)} source={source} />
        ) : search.start === "recipe" ? (
          <Gallery />
        ) : (
          <EarlierTasks />
        )}
      </Stack>
    </Page>
  );
}

function Filled({ source }: { source: Source }) {
  return (
    <Answer query={useQuery(sourceQuery(source))} loading={<Loading />}>
      {(work) => <Editor source={source} initial={work} />}
    </Answer>
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
