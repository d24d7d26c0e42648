// biome-ignore-all lint/suspicious/noArrayIndexKey: a file that is shown does not change
import { Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { Markdown } from "~/components/markdown/Markdown";
import classes from "./Files.module.css";
import { type Cell, type Output, parseNotebook } from "./parseNotebook";

/** A read-only notebook: text, code and outputs. Nothing in it runs. */
export function Notebook({ text }: { text: string }) {
  const cells = useMemo(() => parseNotebook(text), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place to scroll by keys
    <section className={classes.scroll} tabIndex={0} aria-label="Notebook">
      {cells.map((cell, n) => (
        <CellView key={n} cell={cell} />
      ))}
    </section>
  );
}

function CellView({ cell }: { cell: Cell }) {
  return (
    <div className={classes.cell}>
      {cell.kind === "markdown" ? (
        <Stack gap="xs">
          <Markdown text={cell.text} />
        </Stack>
      ) : (
        <div className={classes.input}>
          <Text size="xs" c="dimmed">
            {cell.kind === "code" ? `In [${cell.count ?? " "}]` : "Text"}
          </Text>
          <pre className={classes.text}>{cell.text}</pre>
        </div>
      )}
      {cell.outputs.map((output, n) => (
        <OutputView key={n} output={output} />
      ))}
    </div>
  );
}

function OutputView({ output }: { output: Output }) {
  if (output.kind === "picture") {
    return (
      <div className={classes.output}>
        <img className={classes.picture} src={output.address} alt="Cell output" />
      </div>
    );
  }
  if (output.kind === "left-out") {
    return (
      <Text size="xs" c="dimmed" className={classes.output}>
        Output of type {output.type} is not shown here. Download the notebook to see it.
      </Text>
    );
  }
  return (
    <div className={classes.output} data-error={output.isError || undefined}>
      <pre className={classes.text}>{output.text}</pre>
    </div>
  );
}
