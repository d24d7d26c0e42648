import { Box, Text } from "@mantine/core";
import { count } from "~/lib/format";
import classes from "./AvailabilityBar.module.css";

type AvailabilityBarProps = { free: number; total: number; unit: string; label?: string };

/** How much of a resource is free, as text and as a bar. */
export function AvailabilityBar({ free, total, unit, label }: AvailabilityBarProps) {
  const text = `${free} of ${count(total, unit)} free`;
  const share = total > 0 ? Math.min(100, (free / total) * 100) : 0;
  return (
    <Box miw={110}>
      <Text size="xs" mb={3} c={free ? undefined : "dimmed"}>
        {label ? `${label}: ${text}` : text}
      </Text>
      <div className={classes.bar} aria-hidden>
        <div className={classes.free} style={{ width: `${share}%` }} />
      </div>
    </Box>
  );
}
