import { keys } from "~/api/queries";
import { useAction } from "~/components/useDeed";

type ImageAction<T, A extends unknown[]> = {
  call: (...args: A) => Promise<T>;
  /** Said in the corner once it is done. */
  success?: (result: T) => string;
  onSuccess?: (result: T) => void;
};

/** A button's deed on images; whoever shows it shows its `error` too. */
export function useImageAction<T, A extends unknown[]>(action: ImageAction<T, A>) {
  return useAction({ ...action, refresh: [keys.images] });
}
