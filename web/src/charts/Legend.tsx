import classes from "./Chart.module.css";
import type { Curve } from "./curves";

type LegendProps = {
  curves: Curve[];
  hidden: ReadonlySet<string>;
  onToggle: (key: string) => void;
};

/** The colour of each curve. Click to hide or show it. */
export function Legend({ curves, hidden, onToggle }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label="Curves">
      {curves.map(({ key, label, color }) => (
        <li key={key}>
          <button
            type="button"
            className={classes.curve}
            aria-pressed={!hidden.has(key)}
            onClick={() => onToggle(key)}
          >
            <span className={classes.dot} style={{ background: color }} aria-hidden />
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}
