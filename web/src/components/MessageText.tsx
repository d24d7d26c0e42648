import { Code } from "@mantine/core";

/** A message with `code` in backticks shown as code. */
export function MessageText({ text }: { text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return <>{text}</>;
  return (
    <>
      {parts.map((part, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
        at % 2 ? <Code key={at}>{part}</Code> : <span key={at}>{part}</span>,
      )}
    </>
  );
}
