import { Anchor, Button, Card, Table } from "@mantine/core";
import { IconGitFork } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { CodeText } from "~/components/CodeText";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import { listPipelines, type Pipeline } from "~/pipelines/api";
import { countsText } from "~/pipelines/counts";
import { StepBadge } from "~/pipelines/StepBadge";

/** All pipelines of the reader, newest first. */
export function Pipelines() {
  const query = useInfiniteQuery({
    queryKey: [...keys.pipelines, "list"],
    queryFn: ({ pageParam }) => listPipelines(pageParam || undefined),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  return (
    <Page
      title="Pipelines"
      lead="Prepare, train and evaluate as one piece of work."
      wide
      actions={
        <Button renderRoot={(props) => <Link to="/pipelines/new" {...props} />}>
          New pipeline
        </Button>
      }
    >
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {({ pages }) => {
          const pipelines = pages.flatMap((page) => page.items);
          if (!pipelines.length) return <NoPipelines />;
          return (
            <>
              <PipelineTable pipelines={pipelines} />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

function PipelineTable({ pipelines }: { pipelines: Pipeline[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={560}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Pipeline</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Steps</Table.Th>
              <Table.Th>Submitted</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {pipelines.map((pipeline) => (
              <Table.Tr key={pipeline.id}>
                <Table.Td>
                  <Anchor
                    size="sm"
                    fw={550}
                    style={{ overflowWrap: "anywhere" }}
                    renderRoot={(props) => (
                      <Link
                        to="/pipelines/$pipeline"
                        params={{ pipeline: pipeline.id }}
                        {...props}
                      />
                    )}
                  >
                    {pipeline.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <StepBadge state={pipeline.state} />
                </Table.Td>
                <Table.Td>{countsText(pipeline.counts)}</Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
                  <TimeAgo at={pipeline.created} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function NoPipelines() {
  return (
    <EmptyState icon={IconGitFork} title="No pipelines yet">
      Write stages under <code>pipeline:</code> in a diamond.yaml, and run it.
      <CodeText label="Example" text="diamond run diamond.yaml" short />
    </EmptyState>
  );
}
