import { Card, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { TimeAgo } from "~/components/Time";
import { TaskLink } from "~/tasks/TaskLink";
import { type Reproduction, reproductionsQuery } from "./api";
import { VerdictBadge, VerdictCard } from "./VerdictCard";

/** When and where a task was last reproduced; of a reproduction, its verdict. */
export function Reproductions({ task }: { task: string }) {
  const { data } = useQuery(reproductionsQuery(task));
  if (!data) return null;
  const { items, reproduces } = data;
  return (
    <>
      {reproduces?.verdict && (
        <VerdictCard title="Compared with the first run" verdict={reproduces.verdict} />
      )}
      {reproduces && (
        <Text size="sm" c="dimmed">
          This run reproduces <TaskLink within task={reproduces.original} />.
          {!reproduces.verdict && " The verdict follows when it has ended."}
        </Text>
      )}
      {items.length > 0 && <Earlier items={items} />}
    </>
  );
}

function Earlier({ items }: { items: Reproduction[] }) {
  return (
    <Card component="section" aria-label="Reproduced">
      <Title order={2} mb="xs">
        Reproduced
      </Title>
      <Stack gap={6}>
        {items.map((item) => (
          <Group key={item.task} gap="xs">
            {item.verdict ? <VerdictBadge verdict={item.verdict} /> : <Loader size={14} />}
            <Text size="sm">
              <TimeAgo at={item.judged ?? item.created} /> on {item.endpoint} as{" "}
              <TaskLink within task={item.task} />
              {item.verdict && `: ${item.verdict.sentence}`}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
