import { Button, Group, NumberInput, SimpleGrid, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { useAction } from "~/components/useAction";
import { inBytes, inGigabytes, type Limits } from "./api";

type FormProps = {
  saved: Schemas["Limits"];
  save: (limits: Limits) => Promise<unknown>;
  /** Shown as a toast after saving. */
  success?: string;
};

/** Three limits; an empty field means no limit. */
export function LimitsForm({ saved, save, success = "Limits saved." }: FormProps) {
  const [typed, setTyped] = useState<Partial<ReturnType<typeof inGigabytes>>>({});
  const values = { ...inGigabytes(saved), ...typed };
  const saveAction = useAction({
    call: () => save(inBytes(values)),
    refresh: [keys.usage, keys.users],
    success,
    onSuccess: () => setTyped({}),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saveAction.run();
  };
  const change = (part: typeof typed) => setTyped((now) => ({ ...now, ...part }));
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <LimitInput
            label="Node-hours"
            value={values.node_hours}
            onChange={(node_hours) => change({ node_hours })}
          />
          <LimitInput
            label="Running tasks"
            value={values.running_tasks}
            onChange={(running_tasks) => change({ running_tasks })}
            isWhole
          />
          <LimitInput
            label="Storage (GB)"
            value={values.gigabytes}
            onChange={(gigabytes) => change({ gigabytes })}
          />
        </SimpleGrid>
        {saveAction.error && <ErrorAlert error={saveAction.error} />}
        <Group>
          <Button type="submit" variant="light" loading={saveAction.isPending}>
            Save limits
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type LimitInputProps = {
  label: string;
  value: number | null;
  isWhole?: boolean;
  onChange: (value: number | null) => void;
};

function LimitInput({ label, value, isWhole = false, onChange }: LimitInputProps) {
  return (
    <NumberInput
      label={label}
      placeholder="no limit"
      min={0}
      allowDecimal={!isWhole}
      allowNegative={false}
      thousandSeparator=" "
      hideControls
      value={value ?? ""}
      onChange={(typed) => onChange(typed === "" ? null : Number(typed))}
    />
  );
}
