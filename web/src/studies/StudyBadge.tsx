import { Badge } from "@mantine/core";
import type { Study } from "./api";

const COLORS: Record<Study["state"], string> = {
  running: "blue",
  paused: "yellow",
  done: "teal",
  cancelled: "gray",
};

export function StudyBadge({ state }: { state: Study["state"] }) {
  return (
    <Badge color={COLORS[state]} variant="light" tt="none">
      {state}
    </Badge>
  );
}
