/** Formats times, durations and sizes in the reader's time zone and language. */

const UNITS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** "2 h 5 min", "12 s": the two largest units. */
export function duration(seconds: number): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const amount = Math.floor(left / size);
    left -= amount * size;
    if (amount) parts.push(`${amount} ${name}`);
    else if (parts.length) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ") || "under 1 s";
}

/** "3 h to 4 h", or a single duration if both read the same. */
export function durationRange(shortest: number, longest: number): string {
  const [first, last] = [duration(shortest), duration(longest)];
  return first === last ? first : `${first} to ${last}`;
}

/** Like `duration`, with tenths below ten seconds: "0.4 s". */
export function shortDuration(seconds: number): string {
  return seconds < 10 ? `${Number(seconds.toFixed(1))} s` : duration(seconds);
}

/** "just now", "5 min ago", "in 2 h". */
export function timeAgo(at: number, now = Date.now() / 1000): string {
  const seconds = now - at;
  if (Math.abs(seconds) < 5) return "just now";
  const age = largestUnit(Math.abs(seconds));
  return seconds > 0 ? `${age} ago` : `in ${age}`;
}

function largestUnit(seconds: number): string {
  for (const [size, name] of UNITS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${name}`;
  }
  return "0 s";
}

// Formatters are expensive to create, and lists format thousands of times.
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const DAY = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
});
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The exact time with its time zone. */
export function exactTime(at: number): string {
  return EXACT.format(at * 1000);
}

/** "Nov 16, 8:10:45 AM". */
export function dayTime(at: number): string {
  return DAY.format(at * 1000);
}

export function clockTime(at: number): string {
  return CLOCK.format(at * 1000);
}

/** In powers of 1024, as the service counts and as `4GB` in a spec means it. */
export function formatBytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export const MEGABYTE = 2 ** 20;
export const GIGABYTE = 2 ** 30;

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? singular : plural}`;
}

/** Node-hours to two decimals; tiny amounts are marked as such. */
export function formatHours(value: number): string {
  if (value > 0 && value < 0.01) return "under 0.01";
  return value.toLocaleString(undefined, { maximumFractionDigits: value < 1000 ? 2 : 0 });
}

/** A number with four significant digits: 0.9861, 1.2e-5, 12,400. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2);
  return value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
}
