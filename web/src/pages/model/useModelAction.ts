import { keys } from "~/api/queryKeys";
import { useAction } from "~/components/useAction";

type ModelAction<T, A extends unknown[]> = {
  call: (...args: A) => Promise<T>;
  /** Shown as a toast. */
  success?: string | ((result: T) => string);
  onSuccess?: (result: T) => void;
};

/** An action on models that refetches them afterwards. The caller shows `error`. */
export function useModelAction<T, A extends unknown[]>(action: ModelAction<T, A>) {
  return useAction({ ...action, refresh: [keys.models] });
}
