import { Group, Progress, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { formatBytes } from "~/lib/format";

const PARTS = [
  { key: "code", label: "Code", color: "teal" },
  { key: "logs", label: "Logs", color: "blue" },
  { key: "curves", label: "Metrics", color: "grape" },
  { key: "copies", label: "Kept files", color: "orange" },
] as const;

type StoredPartsProps = { stored: Schemas["StoredBytes"]; quota: number | null };

/** What one person stores in the service, by kind, next to the quota. */
export function StoredParts({ stored, quota }: StoredPartsProps) {
  const whole = Math.max(quota ?? 0, stored.total, 1);
  return (
    <div>
      <Text fw={550}>
        {formatBytes(stored.total)}
        {quota !== null && ` of ${formatBytes(quota)}`}
      </Text>
      <Progress.Root size="lg" my={6} aria-label="Storage by kind">
        {PARTS.map(({ key, label, color }) => (
          <Progress.Section
            key={key}
            value={(stored[key] / whole) * 100}
            color={color}
            aria-label={`${label}: ${formatBytes(stored[key])}`}
          />
        ))}
      </Progress.Root>
      <Group gap="lg">
        {PARTS.map(({ key, label, color }) => (
          <Text key={key} size="sm">
            <Text span c={color} aria-hidden>
              ●
            </Text>{" "}
            {label} {formatBytes(stored[key])}
          </Text>
        ))}
      </Group>
    </div>
  );
}
