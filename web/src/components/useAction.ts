import { useMutation, useQueryClient } from "@tanstack/react-query";
import { showSuccess } from "./toasts";

type Action<T, A extends unknown[]> = {
  call: (...args: A) => Promise<T>;
  /** Queries to refetch afterwards. */
  refresh: readonly unknown[][];
  /** Shown as a toast. */
  success?: string | ((result: T) => string);
  onSuccess?: (result: T) => void;
  onError?: (error: Error) => void;
};

/** An action behind a button. The caller shows `error`, or passes `showError` as `onError`. */
export function useAction<T, A extends unknown[]>({
  call,
  refresh,
  success,
  onSuccess,
  onError,
}: Action<T, A>) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (args: A) => call(...args),
    onSuccess: (result) => {
      for (const queryKey of refresh) void queries.invalidateQueries({ queryKey });
      if (success) showSuccess(typeof success === "string" ? success : success(result));
      onSuccess?.(result);
    },
    onError,
  });
  return { ...mutation, run: (...args: A) => mutation.mutate(args) };
}
