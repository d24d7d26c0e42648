import { type Choice, KeyValueRows, type RowTexts } from "~/jobs/KeyValueRows";
import type { Cells } from "~/jobs/spec/values";
import { labelOf } from "../fieldLabels";
import { useField } from "../state/context";

type KeyValueFieldProps = Omit<RowTexts, "label"> & {
  path: string;
  label?: string;
  cells?: Cells;
  choices?: Choice[];
};

/** A mapping of the spec, edited as rows. */
export function KeyValueField({ path, label = labelOf(path), ...texts }: KeyValueFieldProps) {
  const { id, value, fault, set, touch } = useField(path);
  return <KeyValueRows {...texts} {...{ id, label, value, fault }} onChange={set} onBlur={touch} />;
}
