/** The command that adds a machine via ssh. */
export function addCommand(name: string, host: string): string {
  return `diamond endpoint add ${shellQuote(name)} --ssh ${shellQuote(host)}`;
}

/** Quotes a word for the shell if needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
