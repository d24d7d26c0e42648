import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { fetchRaw, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { useTaskOutput } from "~/live/hooks";
import type { LogPiece } from "~/live/messages";
import classes from "./LiveLog.module.css";
import { type Tail, tailText, withPiece } from "./tail";

const TAIL_BYTES = 8_192;

/** The last lines of the program's output. */
export function LiveLog({ task }: { task: Task }) {
  const [tail, setTail] = useState<Tail>({ text: "", end: 0 });
  const append = (piece: Pick<LogPiece, "offset" | "text" | "length">) =>
    setTail((now) => withPiece(now, piece));
  useTaskOutput(task.id, { onLog: (piece) => piece.stream === "stdout" && append(piece) });
  const earlier = useQuery({
    queryKey: [...keys.logs(task.id), "tail"],
    queryFn: () => fetchTail(task.id),
    enabled: task.started != null,
  }).data;
  useEffect(() => {
    if (earlier) setTail((now) => withPiece(now, earlier));
  }, [earlier]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tail.end) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [tail]);
  return (
    <div
      role="log"
      aria-live="off"
      ref={box}
      className={classes.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Program output"
    >
      {tailText(tail) || "Program output appears here."}
    </div>
  );
}

/** The output from before the page was opened. */
async function fetchTail(
  task: string,
): Promise<Pick<LogPiece, "offset" | "text" | "length"> | null> {
  const path = `/api/v1/tasks/${encodeURIComponent(task)}/logs/stdout?offset=-${TAIL_BYTES}`;
  try {
    const answer = await fetchRaw(path);
    const bytes = await answer.arrayBuffer();
    const offset = Number(answer.headers.get("Diamond-Offset") ?? 0);
    return { offset, length: bytes.byteLength, text: new TextDecoder().decode(bytes) };
  } catch {
    return null; // No output so far; the stream delivers the rest.
  }
}
