import { Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import { AvailabilityBar } from "~/endpoints/AvailabilityBar";
import { EndpointBadge } from "~/endpoints/EndpointBadge";
import classes from "./Dashboard.module.css";
import { DashboardCard } from "./DashboardCard";

type EndpointNow = Schemas["EndpointNow"];

/** Every endpoint with what is free there. */
export function EndpointList({ endpoints }: { endpoints: EndpointNow[] }) {
  return (
    <DashboardCard title="Endpoints" more={<Link to="/endpoints">All</Link>}>
      {endpoints.length === 0 && (
        <Text size="sm" c="dimmed">
          No endpoints yet.{" "}
          <Link to="/endpoints" search={{ add: "choose" }}>
            Add an endpoint
          </Link>
        </Text>
      )}
      {endpoints.map((endpoint) => (
        <EndpointSummary key={endpoint.name} endpoint={endpoint} />
      ))}
    </DashboardCard>
  );
}

function EndpointSummary({ endpoint }: { endpoint: EndpointNow }) {
  const availability = availabilityOf(endpoint);
  return (
    <Stack gap={6} className={classes.machine}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Link to="/endpoints/$name" params={{ name: endpoint.name }} className={classes.name}>
          {endpoint.name}
        </Link>
        <EndpointBadge endpoint={endpoint} />
      </Group>
      {availability && <AvailabilityBar {...availability} />}
      <Text size="xs" c="dimmed" component="div">
        {yourTasks(endpoint)}
        <UpdatedAt endpoint={endpoint} hasAvailability={availability !== null} />
      </Text>
    </Stack>
  );
}

/** GPUs if there are any, otherwise nodes; nothing for a single machine without GPUs. */
function availabilityOf({
  gpus,
  partitions,
}: EndpointNow): { free: number; total: number; unit: string } | null {
  if (gpus.total > 0) return { ...gpus, unit: "GPU" };
  const largest = Math.max(0, ...partitions.map((partition) => partition.nodes_total ?? 0));
  const widest = partitions.find(
    (partition) => partition.nodes_total === largest && partition.nodes_idle != null,
  );
  if (!widest || largest < 2) return null;
  return { free: widest.nodes_idle ?? 0, total: largest, unit: "node" };
}

function yourTasks({ running, waiting }: EndpointNow): string {
  const counts = [running > 0 && `${running} running`, waiting > 0 && `${waiting} waiting`];
  const summary = counts.filter(Boolean).join(", ");
  return summary ? `Your tasks: ${summary}. ` : "";
}

/** How old the availability is, or since when the endpoint is offline. */
function UpdatedAt({
  endpoint,
  hasAvailability,
}: {
  endpoint: EndpointNow;
  hasAvailability: boolean;
}) {
  if (endpoint.state !== "online")
    return (
      <>
        {isNew(endpoint) ? "Added" : "Went offline"} <TimeAgo at={endpoint.since} />.
      </>
    );
  if (endpoint.as_of == null || !hasAvailability) return null;
  return (
    <>
      Updated <TimeAgo at={endpoint.as_of} />.
    </>
  );
}

function isNew({ state }: EndpointNow): boolean {
  return state === "pairing" || state === "confirming";
}
