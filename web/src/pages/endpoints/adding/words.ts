/** The line that adds a machine over the person's own ssh. */
export function addLine(name: string, host: string): string {
  return `diamond endpoint add ${shellWord(name)} --ssh ${shellWord(host)}`;
}

/** A word as a shell takes it: as it is when harmless, else in quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
