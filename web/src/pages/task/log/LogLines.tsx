import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import classes from "./Log.module.css";
import { LogLine } from "./LogLine";
import { type Line, lineIndexAt } from "./LogWindow";
import type { useLogWindow } from "./useLogWindow";

type LinesProps = {
  label: string;
  log: ReturnType<typeof useLogWindow>;
  wrap: boolean;
  find: string;
  onLink: (offset: number) => void;
  onFirstShown: (offset: number) => void;
};

const LINE_HEIGHT = 20;
const LOAD_MARGIN = 150;
const END_MARGIN = 30;

/** The visible lines. More are loaded near an edge, without moving what is being read. */
export function LogLines({ label, log, wrap, find, onLink, onFirstShown }: LinesProps) {
  const { state, window, follow, setFollow, mark } = log;
  const { lines } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef({ offset: -1, inside: 0 });
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => (lines[index] as Line).offset,
    overscan: 30,
  });
  const shown = rows.getVirtualItems();
  const [top, bottom] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];

  useEffect(() => {
    if (top < LOAD_MARGIN && !follow) void window.up();
    if (bottom > lines.length - LOAD_MARGIN && !follow) void window.down();
  }, [top, bottom, lines.length, follow, window]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: wrapped lines are higher
  useLayoutEffect(() => rows.measure(), [wrap, rows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is restored when lines are added or removed
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    if (follow) {
      box.scrollTop = box.scrollHeight;
      return;
    }
    const index = lineIndexAt(lines, anchor.current.offset);
    const start = rows.measurementsCache[index]?.start;
    if (start !== undefined) box.scrollTop = start + anchor.current.inside;
  }, [lines, follow, rows.getTotalSize()]);

  const marked = useRef<number>(undefined);
  useEffect(() => {
    if (mark === undefined || mark === marked.current) return;
    const index = lineIndexAt(lines, mark);
    if (index < 0) return;
    marked.current = mark;
    anchor.current = { offset: -1, inside: 0 };
    rows.scrollToIndex(index, { align: "center" });
  }, [mark, lines, rows]);
  useEffect(() => {
    if (mark === undefined) marked.current = undefined;
  }, [mark]);

  function onScroll(): void {
    const box = scroller.current;
    if (!box) return;
    const first = rows.getVirtualItemForOffset(box.scrollTop);
    const line = first && lines[first.index];
    if (line) {
      anchor.current = { offset: line.offset, inside: box.scrollTop - first.start };
      onFirstShown(line.offset);
    }
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < END_MARGIN;
    const isWhole = window.snapshot().next >= window.snapshot().size;
    setFollow(atEnd && isWhole);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a place to scroll by keys
    <div
      ref={scroller}
      role="region"
      aria-label={`${label}, line by line`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a place to scroll by keys
      tabIndex={0}
      className={classes.lines}
      data-log
      data-wrap={wrap || undefined}
      onScroll={onScroll}
    >
      <div className={classes.all} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const line = lines[index] as Line;
          return (
            <div
              key={key}
              ref={wrap ? rows.measureElement : undefined}
              data-line
              data-index={index}
              className={classes.line}
              data-marked={(mark !== undefined && lineIndexAt([line], mark) === 0) || undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <LogLine line={line} search={find} onLink={onLink} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
