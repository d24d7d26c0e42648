import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./NumberedCode.module.css";

const MAX_LINES = 5_000;

type NumberedCodeProps = {
  name: string;
  text: string;
  kindOf?: (line: string) => string | undefined;
};

/** Text with numbered lines and a copy button. */
export function NumberedCode({ name, text, kindOf }: NumberedCodeProps) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <div className={classes.frame}>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : `Copy ${name}`}>
            <ActionIcon
              className={classes.copy}
              variant="default"
              onClick={copy}
              aria-label={`Copy ${name}`}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place to scroll by keys */}
      <section className={classes.scroll} tabIndex={0} aria-label={name}>
        <pre className={classes.text}>
          {lines.slice(0, MAX_LINES).map((line, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their places
            <code key={n} className={classes.line} data-kind={kindOf?.(line)}>
              {line}
              {"\n"}
            </code>
          ))}
          {lines.length > MAX_LINES && `… ${lines.length - MAX_LINES} more lines\n`}
        </pre>
      </section>
    </div>
  );
}
