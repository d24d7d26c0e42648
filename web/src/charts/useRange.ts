import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from "react";
import type { Range } from "./curves";
import type { Engine } from "./engine";

type Selection = { left: number; width: number };
type Frame = RefObject<HTMLDivElement | null>;
const CLICK_PIXELS = 5;

/** Select a range of the x axis by dragging or with keys. */
export function useRange(
  engine: Engine | null,
  frame: Frame,
  range: Range | null,
  onRange: (range: Range | null) => void,
) {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const pixelOf = (event: PointerEvent) =>
    event.clientX - (frame.current?.getBoundingClientRect().left ?? 0);

  const events = {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || event.pointerType === "touch") return;
      setDrag({ from: pixelOf(event), to: pixelOf(event) });
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent) {
      if (drag) setDrag({ ...drag, to: pixelOf(event) });
    },
    onPointerUp(event: PointerEvent) {
      if (!drag) return;
      setDrag(null);
      const [left, right] = [drag.from, pixelOf(event)].sort((a, b) => a - b) as [number, number];
      if (engine && right - left > CLICK_PIXELS)
        onRange({ from: valueAt(engine, left), to: valueAt(engine, right) });
    },
    onDoubleClick: () => onRange(null),
    onKeyDown(event: KeyboardEvent) {
      if (!engine || !frame.current) return;
      const now = range ?? shownRange(engine, frame.current);
      const next = keyRange(event.key, now);
      if (next === undefined) return;
      event.preventDefault();
      onRange(next);
    },
  };
  const isDrag = drag && Math.abs(drag.to - drag.from) > CLICK_PIXELS;
  const selection: Selection | null = isDrag
    ? { left: Math.min(drag.from, drag.to), width: Math.abs(drag.to - drag.from) }
    : null;
  return { selection, events };
}

function valueAt(engine: Engine, pixel: number): number {
  return Number(engine.convertFromPixel({ xAxisIndex: 0 }, pixel));
}

function shownRange(engine: Engine, frame: HTMLElement): Range {
  return { from: valueAt(engine, 60), to: valueAt(engine, frame.clientWidth - 16) };
}

/** The range after a key press; null shows everything, undefined means the key is not handled. */
export function keyRange(key: string, { from, to }: Range): Range | null | undefined {
  const width = to - from;
  if (key === "+" || key === "=") return { from: from + width / 4, to: to - width / 4 };
  if (key === "-") return { from: from - width / 2, to: to + width / 2 };
  if (key === "ArrowLeft") return { from: from - width / 4, to: to - width / 4 };
  if (key === "ArrowRight") return { from: from + width / 4, to: to + width / 4 };
  return key === "0" || key === "Escape" ? null : undefined;
}
