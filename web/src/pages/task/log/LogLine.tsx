import { memo, useState } from "react";
import { formatBytes } from "~/lib/format";
import { markMatches, partsOf } from "~/output/ansi";
import classes from "./Log.module.css";
import type { Line } from "./LogWindow";

const MAX_SHOWN = 2_000;

type LineProps = { line: Line; search: string; onLink: (offset: number) => void };

/** One line as text with colours; never interpreted as HTML. */
export const LogLine = memo(function LogLine({ line, search, onLink }: LineProps) {
  const [showAll, setShowAll] = useState(false);
  const isLong = line.text.length > MAX_SHOWN && !showAll;
  const text = isLong ? line.text.slice(0, MAX_SHOWN) : line.text;
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
        {markMatches(partsOf(text), search).map((piece, n) => {
          const look = { color: piece.color, backgroundColor: piece.background };
          const classNames = piece.className
            .split(" ")
            .map((name) => classes[name] ?? "")
            .join(" ");
          const Tag = piece.isMatch ? "mark" : "span";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change places
            <Tag key={n} className={classNames} style={look}>
              {piece.text}
            </Tag>
          );
        })}
      </span>
      {isLong && (
        <button type="button" className={classes.more} onClick={() => setShowAll(true)}>
          … show all {formatBytes(line.length)}
        </button>
      )}
    </>
  );
});
