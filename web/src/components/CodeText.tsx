import classes from "./CodeText.module.css";

type CodeTextProps = { label: string; text: string; short?: boolean };

/** Read-only program text. */
export function CodeText({ label, text, short = false }: CodeTextProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section className={classes.code} data-short={short} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
