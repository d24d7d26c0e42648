import { useSessionStorage } from "@mantine/hooks";
import { EMPTY_GOAL, type GoalDraft } from "./goal";

/** The training goal, kept in this tab until the job is submitted. */
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
