import { useMutation, useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/queries";
import { sayDone } from "~/components/say";

type Act<T, A extends unknown[]> = {
  by: (...words: A) => Promise<T>;
  /** Said in the corner once it is done. */
  done?: (answer: T) => string;
  onDone?: (answer: T) => void;
};

/** A button's deed on images; whoever shows it shows its `error` too. */
export function useAct<T, A extends unknown[]>({ by, done, onDone }: Act<T, A>) {
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (words: A) => by(...words),
    onSuccess: (answer) => {
      void queries.invalidateQueries({ queryKey: keys.images });
      if (done) sayDone(done(answer));
      onDone?.(answer);
    },
  });
  return { ...act, run: (...words: A) => act.mutate(words) };
}
