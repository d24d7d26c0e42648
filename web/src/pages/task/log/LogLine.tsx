import { memo, useState } from "react";
import { bytes } from "~/lib/format";
import { markFound, partsOf } from "./ansi";
import classes from "./Log.module.css";
import type { Line } from "./window";

const SHOWN_AT_FIRST = 2_000;

type LineProps = { line: Line; find: string; onLink: (offset: number) => void };

/** One line as text with its colours; nothing in it is ever taken for HTML. */
export const LogLine = memo(function LogLine({ line, find, onLink }: LineProps) {
  const [whole, setWhole] = useState(false);
  const isLong = line.text.length > SHOWN_AT_FIRST && !whole;
  const text = isLong ? line.text.slice(0, SHOWN_AT_FIRST) : line.text;
  return (
    <>
      <button
        type="button"
        className={classes.link}
        tabIndex={-1}
        aria-label="Link to this line"
        onClick={() => onLink(line.offset)}
      >
        #
      </button>
      <span className={classes.text}>
        {markFound(partsOf(text), find).map((piece, n) => {
          const look = { color: piece.color, backgroundColor: piece.background };
          const classNames = piece.className
            .split(" ")
            .map((name) => classes[name] ?? "")
            .join(" ");
          const Tag = piece.found ? "mark" : "span";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change places
            <Tag key={n} className={classNames} style={look}>
              {piece.text}
            </Tag>
          );
        })}
      </span>
      {isLong && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          … show all {bytes(line.length)}
        </button>
      )}
    </>
  );
});
