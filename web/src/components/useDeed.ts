import { useMutation, useQueryClient } from "@tanstack/react-query";
import { sayDone } from "./say";

type Deed<T, A extends unknown[]> = {
  by: (...words: A) => Promise<T>;
  /** What is asked for again once it is done. */
  renews: readonly unknown[][];
  /** Said in the corner. */
  done?: string | ((answer: T) => string);
  onDone?: (answer: T) => void;
  onError?: (error: Error) => void;
};

/** What a button does; whoever shows the button shows its `error` too, or hands it to `sayFailed`. */
export function useDeed<T, A extends unknown[]>({ by, renews, done, onDone, onError }: Deed<T, A>) {
  const queries = useQueryClient();
  const deed = useMutation({
    mutationFn: (words: A) => by(...words),
    onSuccess: (answer) => {
      for (const queryKey of renews) void queries.invalidateQueries({ queryKey });
      if (done) sayDone(typeof done === "string" ? done : done(answer));
      onDone?.(answer);
    },
    onError,
  });
  return { ...deed, run: (...words: A) => deed.mutate(words) };
}
