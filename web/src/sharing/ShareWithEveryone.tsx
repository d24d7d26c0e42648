import { Switch } from "@mantine/core";

type ShareWithEveryoneProps = { isOn: boolean; isBusy: boolean; onChange: (on: boolean) => void };

export function ShareWithEveryone({ isOn, isBusy, onChange }: ShareWithEveryoneProps) {
  return (
    <Switch
      label="Everyone with an account on this Diamond"
      checked={isOn}
      disabled={isBusy}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
