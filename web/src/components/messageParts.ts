/** The text of a message outside and inside backticks, in turn; one part where the backticks don't pair. */
export function messageParts(text: string): string[] {
  const parts = text.split("`");
  return parts.length % 2 ? parts : [text];
}
