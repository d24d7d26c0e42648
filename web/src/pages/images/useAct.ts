import { keys } from "~/api/queries";
import { useDeed } from "~/components/useDeed";

type Act<T, A extends unknown[]> = {
  by: (...words: A) => Promise<T>;
  /** Said in the corner once it is done. */
  done?: (answer: T) => string;
  onDone?: (answer: T) => void;
};

/** A button's deed on images; whoever shows it shows its `error` too. */
export function useAct<T, A extends unknown[]>(act: Act<T, A>) {
  return useDeed({ ...act, renews: [keys.images] });
}
