import { createContext, useContext } from "react";

/** One field of an environment: value, setter and fault. */
export type Field = {
  id: string;
  value: unknown;
  fault?: string;
  set: (value: unknown) => void;
  touch: () => void;
};

/** The form that contains the environment: a job's, or the Image Builder's. */
type FieldOf = (path: string) => Field;

const Context = createContext<FieldOf | null>(null);
export const EnvironmentProvider = Context.Provider;

export function useEnvironmentField(path: string): Field {
  const fieldOf = useContext(Context);
  if (!fieldOf) throw new Error("outside of an environment's form");
  return fieldOf(path);
}
