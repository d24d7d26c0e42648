import { Skeleton, Stack } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api, dataOf } from "~/api/client";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { BuilderForm } from "./BuilderForm";
import classes from "./ImageBuilder.module.css";
import { type BuilderWork, emptyBuild } from "./work";

/** An environment in six steps, with a preview of the file that is built. */
export function ImageBuilder() {
  const { from, build } = useSearch({ from: "/build" });
  const source = from ? `image.${from}` : build ? `image.build.${build}` : "image";
  const query = useQuery(initialWorkQuery(source, from, build));
  return (
    <Page
      title="Image Builder"
      lead="Describe the environment your program runs in. Diamond builds it once, without root, and transfers it wherever a job needs it."
      wide
    >
      <QueryResult query={query} loading={<Loading />}>
        {(initial) => (
          <BuilderForm
            key={source}
            source={source}
            isFilled={source !== "image"}
            initial={initial}
          />
        )}
      </QueryResult>
    </Page>
  );
}

const initialWorkQuery = (source: string, from?: string, build?: string) =>
  queryOptions({
    queryKey: ["build-source", source],
    queryFn: () => (from ? workOf(from) : build ? workOfBuild(build) : newWork()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

async function newWork(): Promise<BuilderWork> {
  const preferences = await dataOf(api.GET("/api/v1/me/preferences"));
  const work = emptyBuild();
  return {
    ...work,
    endpoint: preferences.endpoint || "auto",
    partition: preferences.partition || "",
    account: preferences.account || "",
  };
}

/** The environment of an image, to edit and rebuild. */
async function workOf(from: string): Promise<BuilderWork> {
  const params = { path: { image: from } };
  const image = await dataOf(api.GET("/api/v1/images/{image}", { params }));
  return {
    ...(await newWork()),
    ...{ spec: image.environment, name: image.name },
    endpoint: image.copies[0]?.endpoint ?? "auto",
  };
}

async function workOfBuild(task: string): Promise<BuilderWork> {
  const params = { path: { task } };
  const build = await dataOf(api.GET("/api/v1/images/builds/{task}", { params }));
  return {
    ...(await newWork()),
    ...{ spec: build.environment, name: build.name, endpoint: build.task.endpoint },
  };
}

function Loading() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton height={44} />
      <div className={classes.columns}>
        <Skeleton height={360} />
        <Skeleton height={480} />
      </div>
    </Stack>
  );
}
