import { SimpleGrid, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import classes from "./Dashboard.module.css";

/** Four numbers that link to what they count. */
export function SummaryTiles({ overview }: { overview: Schemas["Overview"] }) {
  const { counts, gpus, endpoints } = overview;
  const online = endpoints.filter((endpoint) => endpoint.state === "online").length;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Link to="/tasks" search={{ state: "running" }} className={classes.tile}>
        <Tile value={counts.running} label="running" />
      </Link>
      <Link to="/tasks" search={{ state: "preparing,pending" }} className={classes.tile}>
        <Tile value={counts.pending + counts.preparing} label="waiting" />
      </Link>
      <Link to="/endpoints" className={classes.tile}>
        {gpus.total > 0 ? (
          <Tile value={gpus.free} of={gpus.total} label="GPUs free" at={gpus.as_of} />
        ) : (
          <Tile value={0} label="GPUs on your endpoints" />
        )}
      </Link>
      <Link to="/endpoints" className={classes.tile}>
        <Tile value={online} of={endpoints.length} label="endpoints online" />
      </Link>
    </SimpleGrid>
  );
}

type TileProps = { value: number; of?: number; label: string; at?: number | null };

/** A number, its total, what it counts, and when it was updated. */
function Tile({ value, of, label, at }: TileProps) {
  return (
    <>
      <span className={classes.number}>{value.toLocaleString()}</span>
      {of !== undefined && (
        <Text span c="dimmed" size="sm">
          {" "}
          of {of.toLocaleString()}
        </Text>
      )}{" "}
      <Text size="sm" c="dimmed" component="span" display="block">
        {label}
        {at != null && (
          <>
            , updated <TimeAgo at={at} />
          </>
        )}
      </Text>
    </>
  );
}
