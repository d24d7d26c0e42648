import { Card, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Task } from "~/api/client";
import { formatNumber } from "~/lib/format";
import { latestQuery } from "./queries";

const MAX_SHOWN = 8;

/** The latest value of each metric; of an archived task, those that were kept. */
export function LatestValues({ task }: { task: Task }) {
  const { data } = useQuery(latestQuery(task.id));
  const kept = Object.entries(task.final_metrics ?? {}).map(([name, { last, step }]) => ({
    name,
    value: last,
    step,
  }));
  const curves = (data?.items ?? []).flatMap(({ name, points }) => {
    const [step, , value] = points.at(-1) ?? [];
    return value == null ? [] : [{ name, value, step }];
  });
  if (!curves.length) curves.push(...kept);
  if (!curves.length) return null;
  return (
    <Card component="section" aria-label="Latest values">
      <Title order={2} mb="xs">
        Latest values
      </Title>
      <Group gap="xl">
        {curves.slice(0, MAX_SHOWN).map(({ name, value, step }) => (
          <div key={name}>
            <Text size="lg" fw={600} style={{ fontVariantNumeric: "tabular-nums" }}>
              {formatNumber(value)}
            </Text>
            <Text size="xs" c="dimmed">
              {name}
              {step != null && ` at step ${step.toLocaleString()}`}
            </Text>
          </div>
        ))}
      </Group>
    </Card>
  );
}
