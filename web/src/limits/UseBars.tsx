import { Box, Progress, SimpleGrid, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import type { Use } from "~/api/limits";
import { bytes, figure, hours } from "~/lib/format";

type BarsProps = { use: Use; limits: Schemas["Limits"] };

/** What is used of what may be used; the words say what the bars show. */
export function UseBars({ use, limits }: BarsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="lg">
      <Bar
        label="Node-hours"
        used={use.node_hours + use.node_hours_committed}
        limit={limits.node_hours}
        words={hours}
        note={
          use.node_hours_committed
            ? `including ${hours(use.node_hours_committed)} reserved for unfinished tasks`
            : undefined
        }
      />
      <Bar
        label="Running tasks"
        used={use.running_tasks}
        limit={limits.running_tasks}
        words={figure}
        note={`${figure(use.tasks)} in total`}
      />
      <Bar label="Storage" used={use.storage_bytes} limit={limits.storage_bytes} words={bytes} />
    </SimpleGrid>
  );
}

type BarProps = {
  label: string;
  used: number;
  limit?: number | null;
  words: (value: number) => string;
  note?: string;
};

function Bar({ label, used, limit, words, note }: BarProps) {
  const share = limit ? Math.min(100, (used / limit) * 100) : limit === 0 ? 100 : 0;
  return (
    <Box>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" fw={550}>
        {words(used)}
        {limit != null && ` of ${words(limit)}`}
      </Text>
      {limit != null && (
        <Progress
          value={share}
          size="sm"
          mt={4}
          color={share >= 90 ? "orange" : "teal"}
          aria-label={`${label}: ${words(used)} of ${words(limit)}`}
        />
      )}
      {note && (
        <Text size="xs" c="dimmed" mt={2}>
          {note}
        </Text>
      )}
    </Box>
  );
}
