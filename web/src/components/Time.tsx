import { Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { duration, exactTime, timeAgo } from "~/lib/format";

/** "5 min ago", with the exact time on hover. */
export function TimeAgo({ at }: { at: number }) {
  useTick(at);
  return (
    <Tooltip label={exactTime(at)}>
      <time dateTime={new Date(at * 1000).toISOString()}>{timeAgo(at)}</time>
    </Tooltip>
  );
}

/** How long something took, or has taken so far. */
export function Elapsed({ from, to }: { from: number; to?: number | null }) {
  useTick(to ? 0 : from);
  return <span>{duration((to ?? Date.now() / 1000) - from)}</span>;
}

/** Re-renders when the text changes: every second at first, every 30 seconds later. */
function useTick(at: number): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!at) return;
    const isRecent = Date.now() / 1000 - at < 120;
    const timer = setInterval(() => redraw((n) => n + 1), isRecent ? 1_000 : 30_000);
    return () => clearInterval(timer);
  }, [at]);
}
