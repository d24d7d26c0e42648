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
          None yet.{" "}
          <Link to="/endpoints" search={{ add: "choose" }}>
            Add one
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
  const nodes = now.partitions.find((one) => one.nodes_idle != null && one.nodes_total != null);
  return (
    <Stack gap={6} className={classes.machine}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Link to="/endpoints/$name" params={{ name: now.name }} className={classes.name}>
          {now.name}
        </Link>
        <EndpointBadge endpoint={now} />
      </Group>
      {now.gpus.total > 0 ? (
        <FreeBar free={now.gpus.free} total={now.gpus.total} unit="GPU" />
      ) : (
        nodes && <FreeBar free={nodes.nodes_idle ?? 0} total={nodes.nodes_total ?? 0} unit="node" />
      )}
      <Text size="xs" c="dimmed" component="div">
        {yours(now)}
        <When now={now} />
      </Text>
    </Stack>
  );
}

function yours({ running, waiting }: Now): string {
  const words = [running > 0 && `${running} running`, waiting > 0 && `${waiting} waiting`];
  const told = words.filter(Boolean).join(", ");
  return told ? `Your tasks: ${told}. ` : "";
}

/** How old the word about free nodes is; of one that is away, since when. */
function When({ now }: { now: Now }) {
  if (now.state !== "online")
    return (
      <>
        Away since <Ago at={now.since} />.
      </>
    );
  if (now.as_of == null) return null;
  return (
    <>
      Told <Ago at={now.as_of} />.
    </>
  );
}
