import { api, dataOf, type Schemas, type Task } from "~/api/client";
import type { LogPiece } from "~/live/messages";
import type { TaskSearch } from "../search";
import type { Place } from "./LogWindow";

/** One log: attempt, run, rank and stream. */
export type LogSelection = {
  attempt: string;
  run: number;
  rank: number;
  stream: "stdout" | "stderr";
};
/** Without the stored ranges, which the client reads as plain lists. */
export type Streams = Omit<Schemas["LogStream"], "kept">[];
export type LogList = Omit<Schemas["LogList"], "items"> & { items: Streams };
export type RunChoice = { value: string; label: string; attempt: string; run: number };

/** The runs that have written something, oldest first. */
export function runChoices(task: Task, logs: Streams): RunChoice[] {
  const seen = new Map<string, RunChoice>();
  for (const { attempt, run } of logs) {
    const value = `${attempt}/${run}`;
    seen.set(value, { value, attempt, run, label: runLabel(task, attempt, run) });
  }
  return [...seen.values()].sort((a, b) => sortKey(task, a) - sortKey(task, b));
}

function sortKey(task: Task, { attempt, run }: RunChoice): number {
  return task.attempts.findIndex((candidate) => candidate.id === attempt) * 1_000 + run;
}

function runLabel(task: Task, attempt: string, run: number): string {
  const known = task.attempts.find((candidate) => candidate.id === attempt);
  const label = known ? `Attempt ${known.number}` : attempt;
  return run > 1 || (known?.runs.length ?? 0) > 1 ? `${label}, run ${run}` : label;
}

export function ranksOf(
  logs: Streams,
  { attempt, run }: Pick<LogSelection, "attempt" | "run">,
): number[] {
  const ranks = logs
    .filter((log) => log.attempt === attempt && log.run === run)
    .map((log) => log.rank);
  return [...new Set(ranks)].sort((a, b) => a - b);
}

/** The folder of a run's logs on its endpoint; empty once deleted. */
export function folderOf(
  logs: Streams,
  { attempt, run }: Pick<LogSelection, "attempt" | "run">,
): string {
  return logs.find((log) => log.attempt === attempt && log.run === run)?.folder ?? "";
}

/** In place of an attempt in the address: all of them in one log. */
export const ALL = "all";

/** The logs of all runs that wrote to a stream, with what stands above each. */
export function partsOf(runs: RunChoice[], logs: Streams, stream: LogSelection["stream"]) {
  return runs.flatMap(({ attempt, run, label }) => {
    const log = logs.find(
      (one) =>
        one.attempt === attempt && one.run === run && one.stream === stream && one.rank === 0,
    );
    return log ? [{ attempt, run, rank: 0, stream, size: log.size, label }] : [];
  });
}

/** Of a failed task its errors, if it printed only those; else its output. */
export function firstStream(
  task: Task,
  logs: Streams,
  { attempt, run, rank }: Omit<LogSelection, "stream">,
): LogSelection["stream"] {
  const size = (stream: string) =>
    logs.find(
      (one) =>
        one.attempt === attempt && one.run === run && one.rank === rank && one.stream === stream,
    )?.size ?? 0;
  const isFailed = task.state === "failed";
  return isFailed && size("stderr") > 0 && (size("stdout") === 0 || task.reason === "exit-code")
    ? "stderr"
    : "stdout";
}

/** The run in the address, or the latest. */
export function selectedRun(
  search: TaskSearch,
  runs: RunChoice[],
  logs: Streams,
): Omit<LogSelection, "stream"> | null {
  const requested = runs.find(
    (choice) => choice.attempt === search.attempt && choice.run === (search.run ?? choice.run),
  );
  const { attempt, run } = requested ?? runs.at(-1) ?? {};
  if (attempt === undefined || run === undefined) return null;
  const ranks = ranksOf(logs, { attempt, run });
  const rank =
    search.rank !== undefined && ranks.includes(search.rank) ? search.rank : (ranks[0] ?? 0);
  return { attempt, run, rank };
}

export function belongsTo(piece: LogPiece, which: Streams[number] | LogSelection): boolean {
  return (
    piece.attempt === which.attempt &&
    piece.run === which.run &&
    piece.rank === which.rank &&
    piece.stream === which.stream
  );
}

/** The byte offset where a piece of a log ends. */
export function endOffset(piece: LogPiece): number {
  if (piece.skipped) return piece.skipped[1];
  return piece.offset + (piece.length ?? new TextEncoder().encode(piece.text ?? "").length);
}

export function readLines(task: string, { stream, ...log }: LogSelection, place: Place) {
  return dataOf(
    api.GET("/api/v1/tasks/{task}/logs/{stream}/lines", {
      params: { path: { task, stream }, query: { ...log, ...place } },
    }),
  );
}

export function searchLog(task: string, { stream, ...log }: LogSelection, text: string, after = 0) {
  return dataOf(
    api.GET("/api/v1/tasks/{task}/logs/{stream}/search", {
      params: { path: { task, stream }, query: { ...log, text, after, limit: 1_000 } },
    }),
  );
}

export function downloadUrl(task: string, { stream, ...log }: LogSelection): string {
  const query = new URLSearchParams(
    Object.entries(log).map(([name, value]) => [name, String(value)]),
  );
  return `/api/v1/tasks/${task}/logs/${stream}/download?${query}`;
}
