/** A name may look like a number, and the address then carries it as one. */
export function textParameter(name: string, value: unknown): Record<string, string> {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return text ? { [name]: text } : {};
}
