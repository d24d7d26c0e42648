import { Card, Group, SimpleGrid, Slider, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, fetchRaw, type Task } from "~/api/client";
import { isOver } from "~/tasks/state";
import classes from "./MediaGallery.module.css";
import { type Media, type MediaSeries, readTable, seriesOf } from "./mediaSet";

const MAX_ROWS = 50;
const MAX_TABLE_BYTES = 2_000_000;
const LOOK_AGAIN = 30_000;

/** Pictures and tables that the script logged with W&B or MLflow. Nothing is shown where there are none. */
export function MediaGallery({ task }: { task: Task }) {
  const { data } = useQuery({
    queryKey: ["task-media", task.id],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks/{task}/media", { params: { path: { task: task.id } } })),
    enabled: task.started !== null,
    retry: false,
    refetchInterval: isOver(task) ? false : LOOK_AGAIN,
  });
  const series = seriesOf(data?.items ?? []);
  if (series.length === 0) return null;
  return (
    <Stack component="section" aria-label="Images and tables" gap="sm">
      <Title order={2}>Images and tables</Title>
      <SimpleGrid cols={{ base: 1, md: series.length > 1 ? 2 : 1 }}>
        {series.map((each) => (
          <SeriesCard key={`${each.kind} ${each.name}`} task={task.id} series={each} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function SeriesCard({ task, series }: { task: string; series: MediaSeries }) {
  const [chosen, setChosen] = useState<number>();
  const last = series.items.length - 1;
  const at = Math.min(chosen ?? last, last);
  const item = series.items[at];
  if (!item) return null;
  return (
    <Card component="figure" m={0}>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text component="figcaption" fw={550} style={{ overflowWrap: "anywhere" }}>
          {series.name}
        </Text>
        {item.step != null && (
          <Text size="sm" c="dimmed">
            step {item.step}
          </Text>
        )}
      </Group>
      {item.kind === "image" ? (
        <img
          className={classes.picture}
          src={contentUrl(task, item)}
          alt={`${series.name}${item.step == null ? "" : ` at step ${item.step}`}`}
          loading="lazy"
        />
      ) : (
        <LoggedTable task={task} item={item} />
      )}
      {last > 0 && (
        <Slider
          mt="sm"
          min={0}
          max={last}
          value={at}
          onChange={setChosen}
          label={(value) => `step ${series.items[value]?.step ?? value}`}
          thumbLabel={`Step of ${series.name}`}
        />
      )}
    </Card>
  );
}

function LoggedTable({ task, item }: { task: string; item: Media }) {
  const isLarge = item.size > MAX_TABLE_BYTES;
  const { data, isPending } = useQuery({
    queryKey: ["task-media-table", task, item.path, item.modified],
    queryFn: async () =>
      readTable(await (await fetchRaw(contentUrl(task, item))).text(), MAX_ROWS) ?? null,
    enabled: !isLarge,
    retry: false,
  });
  if (isLarge || (!isPending && !data))
    return (
      <Text size="sm" c="dimmed">
        This table cannot be shown here. Open it under Files.
      </Text>
    );
  if (!data) return null;
  return (
    <Table.ScrollContainer minWidth={240} mah={320}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {data.columns.map((name, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
              <Table.Th key={at}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <Table.Tr key={at}>
              {row.map((text, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity
                <Table.Td key={column}>{text}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function contentUrl(task: string, { path }: Media): string {
  return `/api/v1/tasks/${task}/files/content?${new URLSearchParams({ path, inline: "true" })}`;
}
