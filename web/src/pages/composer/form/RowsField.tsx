import { Rows, type RowsWords } from "~/components/Rows";
import { labelOf } from "../labels";
import type { Cells } from "../spec/values";
import { useField } from "../state/context";

type RowsFieldProps = Omit<RowsWords, "label"> & { path: string; label?: string; cells?: Cells };

/** A mapping of the spec as rows of names and values. */
export function RowsField({ path, label = labelOf(path), ...words }: RowsFieldProps) {
  const { id, value, fault, set, touch } = useField(path);
  return <Rows {...words} {...{ id, label, value, fault }} onChange={set} onBlur={touch} />;
}
