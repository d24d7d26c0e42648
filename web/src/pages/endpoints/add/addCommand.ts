/** The line that adds a machine over the person's own ssh. */
export function addCommand(name: string, host: string): string {
  return `diamond endpoint add ${shellQuote(name)} --ssh ${shellQuote(host)}`;
}

/** A word as a shell takes it: as it is when harmless, else in quotes. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
