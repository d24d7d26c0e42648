import { Badge, type MantineColor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { duration } from "~/lib/format";
import { type Model, type ModelVersion, type Safety, safetyQuery } from "~/models/api";

const LOOKS: Record<Safety["state"], { label: string; color: MantineColor }> = {
  kept: { label: "Kept", color: "green" },
  copying: { label: "Copying", color: "blue" },
  "on-endpoint": { label: "One place only", color: "yellow" },
  "purged-soon": { label: "Will be purged", color: "orange" },
  lost: { label: "Lost", color: "red" },
};

type SafetyProps = { model: Model; version: ModelVersion };

/** Whether the files of a version outlive the clean-up of a cluster, and where they are. */
export function SafetyLine({ model, version }: SafetyProps) {
  const { data: safety } = useQuery(safetyQuery(model.id, version.number));
  if (!safety) return <Text size="sm">&nbsp;</Text>;
  const { label, color } = LOOKS[safety.state];
  const left = safety.seconds_left ? ` ${duration(safety.seconds_left)} left.` : "";
  return (
    <Text size="sm" component="div">
      <Badge color={color} variant="light" autoContrast mr={8} tt="none">
        {label}
      </Badge>
      {safety.message}
      {left}
    </Text>
  );
}
