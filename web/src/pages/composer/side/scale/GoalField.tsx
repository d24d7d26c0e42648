import { Select } from "@mantine/core";

const GOALS = [
  { value: "soonest", label: "Finish soonest" },
  { value: "cheapest", label: "Cost least" },
  { value: "efficiency:0.7", label: "Most machines that each still do 70 %" },
  { value: "efficiency:0.9", label: "Most machines that each still do 90 %" },
];

type GoalFieldProps = { value: string; onChange: (goal: string) => void; disabled: boolean };

export function GoalField({ value, onChange, disabled }: GoalFieldProps) {
  return (
    <Select
      label="What matters"
      data={GOALS}
      value={value}
      disabled={disabled}
      allowDeselect={false}
      onChange={(goal) => onChange(goal ?? "soonest")}
    />
  );
}
