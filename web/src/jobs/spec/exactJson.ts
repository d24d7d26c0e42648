/** JSON that preserves numbers as written: 1.0 is not 1, and a long seed keeps its last digits. */

/** A number that JavaScript would write differently; `JSON.stringify` writes it unchanged. */
export type RawNumber = { readonly rawJSON: string };

type ExactJson = {
  parse(
    text: string,
    revive: (key: string, value: unknown, at?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?: (text: string) => RawNumber;
  isRawJSON?: (value: unknown) => value is RawNumber;
};
const exact = JSON as unknown as ExactJson;

/** Without `JSON.rawJSON`, numbers are read as JavaScript numbers. */
export function parseExact(text: string): unknown {
  return exact.parse(text, (_, value, at) => {
    const differs = typeof value === "number" && at?.source && String(value) !== at.source;
    return differs && exact.rawJSON ? exact.rawJSON(at?.source ?? "") : value;
  });
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON?.(value) ?? false;
}
