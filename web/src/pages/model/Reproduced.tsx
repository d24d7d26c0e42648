import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { TimeAgo } from "~/components/Time";
import { reproductionsQuery } from "~/reproduce/api";
import { VerdictBadge } from "~/reproduce/VerdictCard";

/** When and where the run that made a version was last reproduced. */
export function Reproduced({ task }: { task: string }) {
  const { data } = useQuery({ ...reproductionsQuery(task), retry: false });
  const newest = data?.items.find((item) => item.verdict);
  if (!newest?.verdict) return null;
  return (
    <Group gap={8}>
      <VerdictBadge verdict={newest.verdict} />
      <Text size="sm">
        Reproduced on {newest.endpoint} <TimeAgo at={newest.judged ?? newest.created} />
      </Text>
    </Group>
  );
}
