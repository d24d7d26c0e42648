import { useSessionStorage } from "@mantine/hooks";
import { type GoalDraft, NOTHING } from "./goal";

/** How much is to be trained, as typed in this tab; it goes along when the job is submitted, and is forgotten then. */
export function useGoal() {
  const [stored, setGoal] = useSessionStorage<GoalDraft>({
    key: "plan-goal",
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
  });
  const goal = { ...NOTHING, ...stored };
  const change = (more: Partial<GoalDraft>) => setGoal({ ...goal, ...more });
  return { goal, change, forget: () => setGoal(NOTHING) };
}
