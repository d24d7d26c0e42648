import { Code } from "@mantine/core";
import { messageParts } from "./messageParts";

/** A message with `code` in backticks shown as code. */
export function MessageText({ text }: { text: string }) {
  return (
    <>
      {messageParts(text).map((part, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
        at % 2 ? <Code key={at}>{part}</Code> : <span key={at}>{part}</span>,
      )}
    </>
  );
}
