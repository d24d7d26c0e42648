import { Anchor, Card, Progress, Table, Text } from "@mantine/core";
import { IconChartDots3 } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { CodeText } from "~/components/CodeText";
import { EmptyState } from "~/components/EmptyState";
import { LoadMore } from "~/components/LoadMore";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import { formatNumber } from "~/lib/format";
import { listStudies, type Study } from "~/studies/api";
import { paramText } from "~/studies/data";
import { StudyBadge } from "~/studies/StudyBadge";

const EXAMPLE = `study:
  objective: {accuracy: maximize}
  space: {lr: {log: [1e-5, 1e-1]}}
  trials: 20`;

/** Searches over the params of a spec, newest first. */
export function Studies() {
  const query = useInfiniteQuery({
    queryKey: [...keys.studies, "list"],
    queryFn: ({ pageParam }) => listStudies({ cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Studies" lead="Searches for the best parameters of a spec." wide>
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {({ pages }) => {
          const studies = pages.flatMap((page) => page.items);
          if (!studies.length) return <NoStudies />;
          return (
            <>
              <StudyTable studies={studies} />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

function NoStudies() {
  return (
    <EmptyState icon={IconChartDots3} title="No studies yet">
      <Text size="sm" mb="xs">
        Add this to a spec, and start it with <code>diamond run</code> or from a new job:
      </Text>
      <CodeText label="A study block" text={EXAMPLE} short />
    </EmptyState>
  );
}

function StudyTable({ studies }: { studies: Study[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={720}>
        <Table horizontalSpacing="md" verticalSpacing="xs" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Study</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Trials</Table.Th>
              <Table.Th>Best</Table.Th>
              <Table.Th>With</Table.Th>
              <Table.Th>Started</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {studies.map((study) => (
              <StudyRow key={study.id} study={study} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function StudyRow({ study }: { study: Study }) {
  const { complete, pruned, failed } = study.counts;
  const ended = complete + pruned + failed;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          size="sm"
          fw={600}
          renderRoot={(props) => (
            <Link to="/studies/$study" params={{ study: study.id }} {...props} />
          )}
        >
          {study.name}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <StudyBadge state={study.state} />
      </Table.Td>
      <Table.Td>
        {ended} of {study.trials}
        <Progress
          value={(100 * ended) / study.trials}
          size="xs"
          mt={4}
          aria-label={`${ended} of ${study.trials} trials`}
        />
      </Table.Td>
      <Table.Td>
        {study.best ? formatNumber(study.best.values[0] ?? 0) : ""}
        {study.front.length > 0 && `${study.front.length} on the front`}
      </Table.Td>
      <Table.Td>
        {study.best &&
          Object.entries(study.best.params)
            .map(([name, value]) => `${name}=${paramText(value)}`)
            .join(" ")}
      </Table.Td>
      <Table.Td>
        <TimeAgo at={study.created} />
      </Table.Td>
    </Table.Tr>
  );
}
