import { Card, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Comparison } from "~/runs/api";
import { diffLineKind } from "../task/code/diff";
import { NumberedCode } from "../task/code/NumberedCode";
import { textQuery } from "../task/queries";

/** Of two tasks: what changed in spec and code, line by line. */
export function CodeChanges({ runs }: { runs: Comparison["runs"] }) {
  const [first, second] = runs;
  const areTwo = runs.length === 2 && runs.every(({ source }) => source === "diamond");
  const path = `diff?${new URLSearchParams({ against: first?.id ?? "" })}`;
  const query = useQuery({ ...textQuery(second?.id ?? "", path), enabled: areTwo, retry: false });
  if (!query.data) return null;
  return (
    <Card component="section" aria-label="Changes in spec and code">
      <Title order={2} mb="xs">
        Changes in spec and code
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        From {first?.name} {first?.id.slice(0, 8)} to {second?.name} {second?.id.slice(0, 8)}.
      </Text>
      <NumberedCode name="changes.diff" text={query.data} kindOf={diffLineKind} />
    </Card>
  );
}
