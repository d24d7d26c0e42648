import { useMutation, useQueryClient } from "@tanstack/react-query";
import { showSuccess } from "./toasts";

type Action<T, A extends unknown[]> = {
  call: (...args: A) => Promise<T>;
  /** What is asked for again once it is done. */
  refresh: readonly unknown[][];
  /** Said in the corner. */
  success?: string | ((result: T) => string);
  onSuccess?: (answer: T) => void;
  onError?: (error: Error) => void;
};

/** What a button does; whoever shows the button shows its `error` too, or hands it to `sayFailed`. */
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
    onSuccess: (answer) => {
      for (const queryKey of refresh) void queries.invalidateQueries({ queryKey });
      if (success) showSuccess(typeof success === "string" ? success : success(answer));
      onSuccess?.(answer);
    },
    onError,
  });
  return { ...mutation, run: (...args: A) => mutation.mutate(args) };
}
