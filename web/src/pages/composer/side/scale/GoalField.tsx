import { Select } from "@mantine/core";

const GOALS = [
  { value: "soonest", label: "Fastest finish" },
  { value: "cheapest", label: "Lowest cost" },
  { value: "efficiency:0.7", label: "Largest node count at 70 % efficiency" },
  { value: "efficiency:0.9", label: "Largest node count at 90 % efficiency" },
];

type GoalFieldProps = { value: string; onChange: (goal: string) => void; disabled: boolean };

export function GoalField({ value, onChange, disabled }: GoalFieldProps) {
  return (
    <Select
      label="Optimize for"
      data={GOALS}
      value={value}
      disabled={disabled}
      allowDeselect={false}
      onChange={(goal) => onChange(goal ?? "soonest")}
    />
  );
}
