import type { Schemas } from "~/api/client";

type BusyHour = Schemas["BusyHour"];
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** One cell for each hour up to now, oldest first; without `hour` nothing was reported. */
export function hourCells(hours: BusyHour[], days: number, now: number) {
  const known = new Map(hours.map((hour) => [hour.at, hour]));
  const last = Math.floor(now / HOUR) * HOUR;
  return Array.from({ length: days * 24 }, (_, n) => {
    const at = last - (days * 24 - 1 - n) * HOUR;
    return { at, hour: known.get(at) };
  });
}

export function averageOf(hours: BusyHour[]): { busy: number; pending: number } {
  const mean = (value: (hour: BusyHour) => number) =>
    hours.length ? hours.reduce((sum, hour) => sum + value(hour), 0) / hours.length : 0;
  return { busy: mean(({ busy }) => busy), pending: mean(({ pending }) => pending) };
}

/** The weekday in the middle of each of the last days. */
export function dayNames(days: number, now: number): string[] {
  return Array.from({ length: days }, (_, n) => {
    const at = now - (days - 1 - n + 0.5) * DAY;
    return new Date(at * 1000).toLocaleDateString(undefined, { weekday: "short", day: "numeric" });
  });
}
