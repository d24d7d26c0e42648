import { Box, Progress, SimpleGrid, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { formatBytes, formatHours, formatNumber } from "~/lib/format";
import type { Usage } from "./api";

type BarsProps = { use: Usage; limits: Schemas["Limits"] };

/** Usage compared with the limits, as text and as bars. */
export function UsageBars({ use, limits }: BarsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="lg">
      <Bar
        label="Node-hours"
        used={use.node_hours + use.node_hours_committed}
        limit={limits.node_hours}
        format={formatHours}
        note={
          use.node_hours_committed
            ? `including ${formatHours(use.node_hours_committed)} reserved for unfinished tasks`
            : undefined
        }
      />
      <Bar
        label="Running tasks"
        used={use.running_tasks}
        limit={limits.running_tasks}
        format={formatNumber}
        note={`${formatNumber(use.tasks)} in total`}
      />
      <Bar
        label="Storage"
        used={use.storage_bytes}
        limit={limits.storage_bytes}
        format={formatBytes}
      />
    </SimpleGrid>
  );
}

type BarProps = {
  label: string;
  used: number;
  limit?: number | null;
  format: (value: number) => string;
  note?: string;
};

function Bar({ label, used, limit, format, note }: BarProps) {
  const share = limit ? Math.min(100, (used / limit) * 100) : limit === 0 ? 100 : 0;
  return (
    <Box>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" fw={550}>
        {format(used)}
        {limit != null && ` of ${format(limit)}`}
      </Text>
      {limit != null && (
        <Progress
          value={share}
          size="sm"
          mt={4}
          color={share >= 90 ? "orange" : "teal"}
          aria-label={`${label}: ${format(used)} of ${format(limit)}`}
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
