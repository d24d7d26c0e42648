import { Card, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { QueryResult } from "~/components/QueryResult";
import { formatHours } from "~/lib/format";
import { ProbeTable } from "~/planning/ProbeTable";
import { ScalingChart } from "~/planning/ScalingChart";

/** Results of the test runs of a task with `nodes: auto`, which is queued after them. */
export function TestRuns({ task }: { task: Task }) {
  const scale = task.phase === "probing" ? (task.awaits ?? "") : "";
  const query = useQuery({
    queryKey: keys.scale(scale),
    queryFn: () => dataOf(api.GET("/api/v1/scales/{scale}", { params: { path: { scale } } })),
    enabled: scale !== "",
  });
  if (!scale) return null;
  return (
    <Card component="section" aria-label="Test runs">
      <Title order={2}>Test runs</Title>
      <QueryResult query={query}>
        {(result) => (
          <Stack gap="sm" maw={640} aria-live="polite">
            <Text size="sm" c="dimmed">
              Each run tests a different number of nodes. Together they use at most{" "}
              {formatHours(result.node_hours_at_most)} node-hours.
            </Text>
            <ProbeTable scale={result} />
            <ScalingChart scale={result} />
          </Stack>
        )}
      </QueryResult>
    </Card>
  );
}
