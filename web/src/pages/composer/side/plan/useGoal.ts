import { useSessionStorage } from "@mantine/hooks";
import { EMPTY_GOAL, type GoalDraft } from "./goal";

/** How much is to be trained, as typed in this tab; it goes along when the job is submitted, and is forgotten then. */
export function useGoal() {
  const [stored, setGoal] = useSessionStorage<GoalDraft>({
    key: "plan-goal",
    defaultValue: EMPTY_GOAL,
    getInitialValueInEffect: false,
  });
  const goal = { ...EMPTY_GOAL, ...stored };
  const change = (more: Partial<GoalDraft>) => setGoal({ ...goal, ...more });
  return { goal, change, forget: () => setGoal(EMPTY_GOAL) };
}
