import { duration, formatBytes } from "./format";

/** Bytes sent of all, and when it began (ms). */
export type UploadState = { sent: number; total: number; since: number };
export const NOT_STARTED: UploadState = { sent: 0, total: 0, since: 0 };

/** "12 MB of 80 MB (15 %), about 20 s left"; a guess in the first second would be a wild one. */
export function transferText({ sent, total, since }: UploadState, now = Date.now()): string {
  const done = `${formatBytes(sent)} of ${formatBytes(total)} (${Math.floor((100 * sent) / Math.max(1, total))} %)`;
  const seconds = (now - since) / 1000;
  if (sent >= total) return `${done}, saving`;
  if (seconds < 1 || sent <= 0) return done;
  return `${done}, about ${duration(((total - sent) * seconds) / sent)} left`;
}
