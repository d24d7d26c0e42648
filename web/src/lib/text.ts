export function shortDigest(digest: string): string {
  return digest.replace("sha256:", "").slice(0, 12);
}

export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
