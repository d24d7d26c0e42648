/** A name that looks like a number arrives as a number. */
export function textParameter(name: string, value: unknown): Record<string, string> {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return text ? { [name]: text } : {};
}
