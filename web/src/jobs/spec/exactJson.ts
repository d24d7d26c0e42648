/** JSON whose numbers stay as they were written: 1.0 is not 1, and a long seed keeps its last digits. */

/** A number that JavaScript would write differently; `JSON.stringify` writes it as it came. */
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

/** Where a browser lacks `JSON.rawJSON` numbers are read as JavaScript reads them. */
export function parseExact(text: string): unknown {
  return exact.parse(text, (_, value, at) => {
    const differs = typeof value === "number" && at?.source && String(value) !== at.source;
    return differs && exact.rawJSON ? exact.rawJSON(at?.source ?? "") : value;
  });
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON?.(value) ?? false;
}
