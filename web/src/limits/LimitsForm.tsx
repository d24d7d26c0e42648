import { Button, Group, NumberInput, SimpleGrid, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Schemas } from "~/api/client";
import { inBytes, inGigabytes, type Limits } from "~/api/limits";
import { keys } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { useDeed } from "~/components/useDeed";

type FormProps = {
  kept: Schemas["Limits"];
  save: (limits: Limits) => Promise<unknown>;
  /** What is said once they are kept. */
  done?: string;
};

/** Three numbers; an empty field is no limit. */
export function LimitsForm({ kept, save, done = "Limits saved." }: FormProps) {
  const [typed, setTyped] = useState<Partial<ReturnType<typeof inGigabytes>>>({});
  const wanted = { ...inGigabytes(kept), ...typed };
  const keep = useDeed({
    by: () => save(inBytes(wanted)),
    renews: [keys.usage, keys.users],
    done,
    onDone: () => setTyped({}),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keep.run();
  };
  const change = (part: typeof typed) => setTyped((now) => ({ ...now, ...part }));
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <Amount
            label="Node-hours"
            value={wanted.node_hours}
            onChange={(node_hours) => change({ node_hours })}
          />
          <Amount
            label="Running tasks"
            value={wanted.running_tasks}
            onChange={(running_tasks) => change({ running_tasks })}
            isWhole
          />
          <Amount
            label="Storage (GB)"
            value={wanted.gigabytes}
            onChange={(gigabytes) => change({ gigabytes })}
          />
        </SimpleGrid>
        {keep.error && <Failed error={keep.error} />}
        <Group>
          <Button type="submit" variant="light" loading={keep.isPending}>
            Save limits
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type AmountProps = {
  label: string;
  value: number | null;
  isWhole?: boolean;
  onChange: (value: number | null) => void;
};

function Amount({ label, value, isWhole = false, onChange }: AmountProps) {
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
