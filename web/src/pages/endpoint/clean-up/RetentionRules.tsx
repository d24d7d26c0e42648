import { Button, Card, Group, NumberInput, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Endpoint } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";

/** Which run directories are deleted automatically. An empty field means no rule. */
export function RetentionRules({ endpoint }: { endpoint: Endpoint }) {
  const now = endpoint.retention;
  const [days, setDays] = useState<string | number>(now.older_than_days ?? "");
  const [gigabytes, setGigabytes] = useState<string | number>(now.max_gigabytes ?? "");
  const save = useEndpointAction({
    call: () =>
      endpointsApi.change(endpoint.name, {
        retention: { older_than_days: numberOrNull(days), max_gigabytes: numberOrNull(gigabytes) },
      }),
    ownErrorDisplay: true,
    success: "Rule saved.",
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.run();
  };
  return (
    <Card component="section">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <div>
            <Title order={2}>Delete automatically</Title>
            <Text size="sm" c="dimmed">
              Run directories of ended tasks that Diamond deletes automatically. Without a rule,
              nothing is deleted.
            </Text>
          </div>
          <NumberInput
            label="Older than (days)"
            placeholder="no rule"
            min={1}
            value={days}
            onChange={setDays}
          />
          <NumberInput
            label="Total size above (GB)"
            description="The oldest are deleted first."
            placeholder="no rule"
            min={1}
            value={gigabytes}
            onChange={setGigabytes}
          />
          {save.error && <ErrorAlert error={save.error} />}
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function numberOrNull(value: string | number): number | null {
  return value === "" ? null : Number(value);
}
