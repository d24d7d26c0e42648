import { keys } from "~/api/queryKeys";
import { useAction } from "~/components/useAction";

type ImageAction<T, A extends unknown[]> = {
  call: (...args: A) => Promise<T>;
  /** Shown as a toast. */
  success?: (result: T) => string;
  onSuccess?: (result: T) => void;
};

/** An action on images that refetches them afterwards. The caller shows `error`. */
export function useImageAction<T, A extends unknown[]>(action: ImageAction<T, A>) {
  return useAction({ ...action, refresh: [keys.images] });
}
