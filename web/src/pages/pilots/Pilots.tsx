import { Anchor, Card, Table } from "@mantine/core";
import { IconServerBolt } from "@tabler/icons-react";
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
import { listPilots, type Pilot } from "~/pilots/api";
import { insideText, sizeText, stateText } from "~/pilots/words";
import { StepBadge } from "~/pipelines/StepBadge";

/** Allocations of the reader that run tasks inside them, newest first. */
export function Pilots() {
  const query = useInfiniteQuery({
    queryKey: [...keys.pilots, "list"],
    queryFn: ({ pageParam }) => listPilots(pageParam || undefined),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  return (
    <Page
      title="Pilots"
      lead="Allocations that run many tasks after waiting in the queue once."
      wide
    >
      <QueryResult query={query} loading={<SkeletonLines count={6} height={44} />}>
        {({ pages }) => {
          const pilots = pages.flatMap((page) => page.items);
          if (!pilots.length) return <NoPilots />;
          return (
            <>
              <PilotTable pilots={pilots} />
              <LoadMore query={query} />
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

function PilotTable({ pilots }: { pilots: Pilot[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={680}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Pilot</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th>Size</Table.Th>
              <Table.Th>Tasks</Table.Th>
              <Table.Th>Started</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {pilots.map((pilot) => (
              <Table.Tr key={pilot.id}>
                <Table.Td>
                  <Anchor
                    size="sm"
                    fw={550}
                    style={{ overflowWrap: "anywhere" }}
                    renderRoot={(props) => (
                      <Link to="/pilots/$pilot" params={{ pilot: pilot.id }} {...props} />
                    )}
                  >
                    {pilot.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <StepBadge state={pilot.state} text={stateText(pilot)} />
                </Table.Td>
                <Table.Td>{pilot.endpoint}</Table.Td>
                <Table.Td>{sizeText(pilot)}</Table.Td>
                <Table.Td>{insideText(pilot.counts)}</Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>
                  <TimeAgo at={pilot.created} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function NoPilots() {
  return (
    <EmptyState icon={IconServerBolt} title="No pilots yet">
      A pipeline with <code>together:</code> starts one. Or get one beforehand:
      <CodeText label="Example" text="diamond pilot start --nodes 2 --time 4h" short />
    </EmptyState>
  );
}
