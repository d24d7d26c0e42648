import { Badge, Card, Group, List, Stack, Table, Text, Title } from "@mantine/core";
import { formatNumber } from "~/lib/format";
import { VERDICTS, type Verdict } from "./api";

const SHOWN = 20;

type VerdictCardProps = { title: string; verdict: Verdict };

/** How a second run compares with the first, with the evidence and the likely cause. */
export function VerdictCard({ title, verdict }: VerdictCardProps) {
  const files = verdict.files.filter(({ finding }) => finding !== "identical");
  const metrics = verdict.metrics.filter(({ finding }) => finding !== "equal");
  return (
    <Card component="section" aria-label={title}>
      <Stack gap="xs">
        <Group gap="sm">
          <Title order={2}>{title}</Title>
          <VerdictBadge verdict={verdict} />
        </Group>
        <Text size="sm">{verdict.sentence}.</Text>
        <Causes verdict={verdict} />
        {files.length > 0 && (
          <List size="sm">
            {files.slice(0, SHOWN).map(({ path, finding }) => (
              <List.Item key={path}>
                {path}: {finding}
              </List.Item>
            ))}
          </List>
        )}
        {metrics.length > 0 && <MetricFindings metrics={metrics.slice(0, SHOWN)} />}
      </Stack>
    </Card>
  );
}

export function VerdictBadge({ verdict }: { verdict: Pick<Verdict, "level"> }) {
  const { label, color } = VERDICTS[verdict.level];
  return (
    <Badge color={color} variant="light" autoContrast>
      {label}
    </Badge>
  );
}

function Causes({ verdict }: { verdict: Verdict }) {
  if (!verdict.causes.length) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        Likely cause
      </Text>
      <List size="sm" type="ordered">
        {verdict.causes.map(({ kind, text }) => (
          <List.Item key={kind}>{text}</List.Item>
        ))}
      </List>
    </div>
  );
}

function MetricFindings({ metrics }: { metrics: Verdict["metrics"] }) {
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Metric</Table.Th>
            <Table.Th ta="right">First</Table.Th>
            <Table.Th ta="right">Second</Table.Th>
            <Table.Th ta="right">Apart</Table.Th>
            <Table.Th>Allowed</Table.Th>
            <Table.Th>Finding</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {metrics.map((metric) => (
            <Table.Tr key={metric.name}>
              <Table.Th fw={500}>{metric.name}</Table.Th>
              <NumberCell value={metric.first} />
              <NumberCell value={metric.second} />
              <NumberCell value={metric.difference} />
              <Table.Td>{metric.tolerance}</Table.Td>
              <Table.Td>{metric.finding}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function NumberCell({ value }: { value: number | null }) {
  return <Table.Td ta="right">{value === null ? "–" : formatNumber(value)}</Table.Td>;
}
