import { Card, Group, Stack, Text, Title } from "@mantine/core";
import type { Task } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { formatHours } from "~/lib/format";
import { AttemptTable } from "./AttemptTable";
import { isChain } from "./attempts";
import { BudgetBar } from "./BudgetBar";

/** How a training longer than the time limit continues: attempts, gaps, checkpoints, budget. */
export function AttemptsCard({ task }: { task: Task }) {
  const { chain } = task;
  if (!isChain(task)) return null;
  return (
    <Card component="section" aria-label="Attempts">
      <Stack gap="sm">
        <Group justify="space-between" align="baseline">
          <Title order={2}>Attempts</Title>
          {!chain.budget && (
            <Text size="sm" c="dimmed">
              {formatHours(chain.node_hours)} node-hours used
            </Text>
          )}
        </Group>
        {chain.budget && <BudgetBar budget={chain.budget} />}
        <AttemptTable task={task} />
        {chain.words && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            <MessageText text={chain.words} />
          </Text>
        )}
      </Stack>
    </Card>
  );
}
