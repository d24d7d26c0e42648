import { keys } from "~/api/queryKeys";
import { useAction } from "~/components/useAction";

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
