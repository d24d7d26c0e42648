import { Divider, Stack, Text, Title } from "@mantine/core";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import type { Composition } from "~/jobs/api";
import { count, duration, formatNumber } from "~/lib/format";
import { useComposer } from "../state/context";
import { FactTable } from "./FactTable";

/** The maximum cost, and the state of the queue. */
export function CostPane() {
  const { composition } = useComposer();
  if (!composition) return <SkeletonLines />;
  const { cost, queue, warnings, notes = [] } = composition;
  return (
    <Stack p="md" gap="md">
      <section aria-labelledby="cost-title">
        <Title order={2} id="cost-title" mb={4}>
          Cost
        </Title>
        {cost ? <Cost cost={cost} /> : <NotAvailable />}
      </section>
      <Divider />
      <section aria-labelledby="queue-title">
        <Title order={2} id="queue-title" mb={4}>
          Queue
        </Title>
        {queue ? <Queue queue={queue} /> : <NotAvailable />}
      </section>
      {[...warnings, ...notes].map((words) => (
        <Text key={words} size="sm">
          {words}
        </Text>
      ))}
    </Stack>
  );
}

function NotAvailable() {
  return (
    <Text size="sm" c="dimmed">
      Available once the errors are fixed and the endpoint is known.
    </Text>
  );
}

function Cost({ cost }: { cost: NonNullable<Composition["cost"]> }) {
  const unit = cost.unit ?? "";
  return (
    <>
      <Text size="sm" mb="xs">
        {cost.text}
      </Text>
      <FactTable
        facts={[
          ["Node-hours per attempt", formatNumber(cost.node_hours)],
          cost.gpu_hours > 0 && ["GPU-hours per attempt", formatNumber(cost.gpu_hours)],
          ["Core-hours per attempt", formatNumber(cost.core_hours)],
          cost.attempts > 1 && [
            `Node-hours for all ${cost.attempts} attempts`,
            formatNumber(cost.node_hours_at_most),
          ],
          cost.charge != null && ["Charge per attempt", `${formatNumber(cost.charge)} ${unit}`],
          cost.balance != null && [
            `Balance of ${cost.account}`,
            `${formatNumber(cost.balance)} ${unit}`,
          ],
        ]}
      />
    </>
  );
}

function Queue({ queue }: { queue: NonNullable<Composition["queue"]> }) {
  const { waits } = queue;
  return (
    <>
      <Text size="sm" mb="xs">
        {queue.text}
      </Text>
      <FactTable
        facts={[
          queue.nodes_idle != null && [
            "Nodes free now",
            `${queue.nodes_idle} of ${queue.nodes_total ?? "?"}`,
          ],
          queue.gpus_idle != null && ["GPUs free now", String(queue.gpus_idle)],
          queue.pending != null && ["Jobs waiting", String(queue.pending)],
          waits && [
            `Your last ${count(waits.count, "task")} waited`,
            `${duration(waits.median)}, at most ${duration(waits.longest)}`,
          ],
        ]}
      />
      {queue.as_of && (
        <Text size="xs" c="dimmed" mt={4}>
          Updated <TimeAgo at={queue.as_of} />
        </Text>
      )}
    </>
  );
}
