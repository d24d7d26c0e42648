import { Progress as Bar, Group, Text } from "@mantine/core";
import { duration, formatNumber } from "~/lib/format";
import type { Progress } from "./summaries";

type ProgressBarProps = { progress: Progress; label: string; color?: string };

/** How far a task is, in steps or epochs, and how long the rest takes. */
export function ProgressBar({ progress, label, color = "teal" }: ProgressBarProps) {
  const { fraction } = progress;
  return (
    <div>
      {fraction !== null && (
        <Bar.Root size="sm">
          <Bar.Section
            value={100 * fraction}
            color={color}
            aria-label={label}
            aria-valuetext={progressText(progress)}
          />
        </Bar.Root>
      )}
      <Group justify="space-between" gap="xs" mt={fraction === null ? 0 : 4} wrap="nowrap">
        <Text size="xs" c="dimmed">
          {doneText(progress)}
        </Text>
        {progress.seconds_left !== null && (
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            about {duration(progress.seconds_left)} left
          </Text>
        )}
      </Group>
    </div>
  );
}

export function progressText(progress: Progress): string {
  const left = progress.seconds_left;
  return doneText(progress) + (left === null ? "" : `, about ${duration(left)} left`);
}

/** "step 33 of 4,000 (1 %)". */
function doneText({ unit, done, total, fraction }: Progress): string {
  const number = (value: number) =>
    Number.isInteger(value) ? value.toLocaleString() : formatNumber(value);
  if (total === null || fraction === null) return `${unit} ${number(done)}`;
  return `${unit} ${number(done)} of ${number(total)} (${Math.floor(100 * fraction)} %)`;
}

/** "19 %, 1 h 48 min left", where there is little room. */
export function shortProgress(progress: Progress): string {
  const { unit, done, fraction, seconds_left: left } = progress;
  const far =
    fraction === null ? `${unit} ${formatNumber(done)}` : `${Math.floor(100 * fraction)} %`;
  return left === null ? far : `${far}, ${duration(left)} left`;
}
