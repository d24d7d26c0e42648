import { Button, Grid, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Schemas } from "~/api/client";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { preferencesQuery } from "~/people/preferences";
import { Running, Waiting } from "./ActiveTasks";
import { EndpointList } from "./EndpointList";
import { Guide } from "./guide/Guide";
import { NeedsAttention } from "./NeedsAttention";
import { overviewQuery } from "./overview";
import { RecentResults } from "./RecentResults";
import { SummaryTiles } from "./SummaryTiles";

const Invitation = lazy(() => import("./Invitation"));

type Overview = Schemas["Overview"];

/** What is running, waiting, failing and free, and the latest results. */
export function Dashboard() {
  const query = useQuery(overviewQuery);
  const { invitation } = useSearch({ from: "/" });
  return (
    <Page title="Dashboard" actions={<NewJob />}>
      {invitation && (
        <Suspense>
          <Invitation code={invitation} />
        </Suspense>
      )}
      <QueryResult query={query} loading={<Loading />}>
        {(overview) => <Content overview={overview} />}
      </QueryResult>
    </Page>
  );
}

/** The shape of the content, so that nothing jumps. */
function Loading() {
  return (
    <Stack gap="md" role="status" aria-label="Loading">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        {["running", "waiting", "free", "online"].map((tile) => (
          <Skeleton key={tile} height={78} radius="md" />
        ))}
      </SimpleGrid>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Skeleton height={260} radius="md" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Skeleton height={180} radius="md" />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function NewJob() {
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/compose" {...props} />}
    >
      New job
    </Button>
  );
}

function Content({ overview }: { overview: Overview }) {
  const { guide } = useSearch({ from: "/" });
  const preferences = useQuery(preferencesQuery);
  const isNew = total(overview) === 0;
  const showGuide = guide !== undefined || (isNew && preferences.data?.guide_done === false);
  return (
    <Stack gap="md">
      {showGuide && <Guide following={guide === "show" ? undefined : guide} />}
      <SummaryTiles overview={overview} />
      <Columns overview={overview} isNew={isNew && !showGuide} />
    </Stack>
  );
}

function Columns({ overview, isNew }: { overview: Overview; isNew: boolean }) {
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          <Running overview={overview} isNew={isNew} />
          <NeedsAttention needs={overview.needs} now={overview.now} />
          <Waiting overview={overview} />
          <RecentResults results={overview.recent} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <EndpointList endpoints={overview.endpoints} />
      </Grid.Col>
    </Grid>
  );
}

function total({ counts }: Overview): number {
  return Object.values(counts).reduce((sum, number) => sum + number, 0);
}
