import { api, dataOf, type Schemas, type Task } from "~/api/client";
import type { LogPiece } from "~/live/messages";
import type { TaskSearch } from "../search";
import type { Place } from "./window";

/** One log: of an attempt, a run of it, a rank, and one of its two streams. */
export type Which = { attempt: string; run: number; rank: number; stream: "stdout" | "stderr" };
/** Without what is kept of it: the client reads pairs as plain lists. */
export type Streams = Omit<Schemas["LogStream"], "kept">[];
export type LogList = Omit<Schemas["LogList"], "items"> & { items: Streams };
export type Choice = { value: string; label: string; attempt: string; run: number };

/** The executions that have written something, oldest first. */
export function runsOf(task: Task, logs: Streams): Choice[] {
  const seen = new Map<string, Choice>();
  for (const { attempt, run } of logs) {
    const value = `${attempt}/${run}`;
    seen.set(value, { value, attempt, run, label: runLabel(task, attempt, run) });
  }
  return [...seen.values()].sort((a, b) => place(task, a) - place(task, b));
}

function place(task: Task, { attempt, run }: Choice): number {
  return task.attempts.findIndex((one) => one.id === attempt) * 1_000 + run;
}

function runLabel(task: Task, attempt: string, run: number): string {
  const known = task.attempts.find((one) => one.id === attempt);
  const label = known ? `Attempt ${known.number}` : attempt;
  return run > 1 || (known?.runs.length ?? 0) > 1 ? `${label}, run ${run}` : label;
}

export function ranksOf(logs: Streams, { attempt, run }: Pick<Which, "attempt" | "run">): number[] {
  const ranks = logs
    .filter((log) => log.attempt === attempt && log.run === run)
    .map((log) => log.rank);
  return [...new Set(ranks)].sort((a, b) => a - b);
}

/** Where the files of a run's logs lie on its endpoint; empty once they were removed. */
export function folderOf(logs: Streams, { attempt, run }: Pick<Which, "attempt" | "run">): string {
  return logs.find((log) => log.attempt === attempt && log.run === run)?.folder ?? "";
}

/** What the address asks for; the newest where it asks for nothing. */
export function chosenOf(
  search: TaskSearch,
  runs: Choice[],
  logs: Streams,
): Omit<Which, "stream"> | null {
  const asked = runs.find(
    (one) => one.attempt === search.attempt && one.run === (search.run ?? one.run),
  );
  const { attempt, run } = asked ?? runs.at(-1) ?? {};
  if (attempt === undefined || run === undefined) return null;
  const ranks = ranksOf(logs, { attempt, run });
  const rank =
    search.rank !== undefined && ranks.includes(search.rank) ? search.rank : (ranks[0] ?? 0);
  return { attempt, run, rank };
}

export function isOf(piece: LogPiece, which: Streams[number] | Which): boolean {
  return (
    piece.attempt === which.attempt &&
    piece.run === which.run &&
    piece.rank === which.rank &&
    piece.stream === which.stream
  );
}

/** Where a piece of a log ends, in bytes. */
export function endOf(piece: LogPiece): number {
  if (piece.skipped) return piece.skipped[1];
  return piece.offset + (piece.length ?? new TextEncoder().encode(piece.text ?? "").length);
}

export function readLines(task: string, { stream, ...log }: Which, place: Place) {
  return dataOf(
    api.GET("/api/v1/tasks/{task}/logs/{stream}/lines", {
      params: { path: { task, stream }, query: { ...log, ...place } },
    }),
  );
}

export function searchLog(task: string, { stream, ...log }: Which, text: string, after = 0) {
  return dataOf(
    api.GET("/api/v1/tasks/{task}/logs/{stream}/search", {
      params: { path: { task, stream }, query: { ...log, text, after, limit: 1_000 } },
    }),
  );
}

export function downloadAddress(task: string, { stream, ...log }: Which): string {
  const query = new URLSearchParams(
    Object.entries(log).map(([name, value]) => [name, String(value)]),
  );
  return `/api/v1/tasks/${task}/logs/${stream}/download?${query}`;
}
