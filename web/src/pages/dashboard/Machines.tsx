import { Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { EndpointBadge } from "~/components/EndpointBadge";
import { FreeBar } from "~/components/FreeBar";
import { Ago } from "~/components/Time";
import { Box } from "./Box";
import classes from "./Dashboard.module.css";

type Now = Schemas["EndpointNow"];

/** Every endpoint with what is free there. */
export function Machines({ endpoints }: { endpoints: Now[] }) {
  return (
    <Box title="Endpoints" more={<Link to="/endpoints">All</Link>}>
      {endpoints.length === 0 && (
        <Text size="sm" c="dimmed">
          No endpoints yet.{" "}
          <Link to="/endpoints" search={{ add: "choose" }}>
            Add an endpoint
          </Link>
        </Text>
      )}
      {endpoints.map((one) => (
        <Machine key={one.name} now={one} />
      ))}
    </Box>
  );
}

function Machine({ now }: { now: Now }) {
  const room = roomOf(now);
  return (
    <Stack gap={6} className={classes.machine}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Link to="/endpoints/$name" params={{ name: now.name }} className={classes.name}>
          {now.name}
        </Link>
        <EndpointBadge endpoint={now} />
      </Group>
      {room && <FreeBar {...room} />}
      <Text size="xs" c="dimmed" component="div">
        {yours(now)}
        <When now={now} told={room !== null} />
      </Text>
    </Stack>
  );
}

/** GPUs where there are some, else nodes; a single machine without GPUs has no room to tell of. */
function roomOf({ gpus, partitions }: Now): { free: number; total: number; unit: string } | null {
  if (gpus.total > 0) return { ...gpus, unit: "GPU" };
  const largest = Math.max(0, ...partitions.map((one) => one.nodes_total ?? 0));
  const widest = partitions.find((one) => one.nodes_total === largest && one.nodes_idle != null);
  if (!widest || largest < 2) return null;
  return { free: widest.nodes_idle ?? 0, total: largest, unit: "node" };
}

function yours({ running, waiting }: Now): string {
  const words = [running > 0 && `${running} running`, waiting > 0 && `${waiting} waiting`];
  const told = words.filter(Boolean).join(", ");
  return told ? `Your tasks: ${told}. ` : "";
}

/** How old the word about free nodes is; of one that is away, since when. */
function When({ now, told }: { now: Now; told: boolean }) {
  if (now.state !== "online")
    return (
      <>
        {isNew(now) ? "Added" : "Went offline"} <Ago at={now.since} />.
      </>
    );
  if (now.as_of == null || !told) return null;
  return (
    <>
      Updated <Ago at={now.as_of} />.
    </>
  );
}

function isNew({ state }: Now): boolean {
  return state === "pairing" || state === "confirming";
}
