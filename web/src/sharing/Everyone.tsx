import { Switch } from "@mantine/core";

type EveryoneProps = { isOn: boolean; isBusy: boolean; onChange: (on: boolean) => void };

export function Everyone({ isOn, isBusy, onChange }: EveryoneProps) {
  return (
    <Switch
      label="Everyone with an account on this Diamond"
      checked={isOn}
      disabled={isBusy}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
