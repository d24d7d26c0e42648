import { Button, Group, SegmentedControl, Select, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { showSuccess } from "~/components/toasts";
import { endpointsQuery } from "~/endpoints/queries";
import { type Preferences, preferencesQuery, useSavePreferences } from "~/people/preferences";
import { type Appearance, useAppearance } from "~/shell/appearance";

export function GeneralTab() {
  const preferences = useQuery(preferencesQuery);
  return (
    <>
      <AppearanceSection />
      <QueryResult query={preferences}>{(saved) => <DefaultsSection saved={saved} />}</QueryResult>
    </>
  );
}

function AppearanceSection() {
  const { appearance, setAppearance } = useAppearance();
  return (
    <Section
      title="Appearance"
      about="Applies to this browser, and to browsers where you have not chosen yet."
    >
      <SegmentedControl
        aria-label="Appearance"
        value={appearance}
        onChange={(chosen) => setAppearance(chosen as Appearance)}
        data={[
          { value: "auto", label: "System" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        style={{ alignSelf: "flex-start" }}
      />
    </Section>
  );
}

/** Defaults for new jobs. Only edited fields are kept here; the rest follows other windows. */
function DefaultsSection({ saved }: { saved: Preferences }) {
  const [edited, setEdited] = useState<Partial<Preferences>>({});
  const { endpoint, partition, account } = { ...saved, ...edited };
  const change = (part: Partial<Preferences>) => setEdited((now) => ({ ...now, ...part }));
  const save = useSavePreferences(() => {
    setEdited({});
    showSuccess("Defaults saved.");
  });
  const { data } = useQuery(endpointsQuery);
  return (
    <Section title="Defaults for new jobs" about="You can change them in each job.">
      <Stack gap="sm">
        <Select
          label="Endpoint"
          placeholder="your default endpoint"
          data={(data?.items ?? []).map((endpoint) => endpoint.name)}
          value={endpoint || null}
          onChange={(chosen) => change({ endpoint: chosen ?? "" })}
          clearable
          clearButtonProps={{ "aria-label": "Use your default endpoint" }}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Partition"
            placeholder="site default"
            value={partition}
            onChange={(event) => change({ partition: event.currentTarget.value })}
          />
          <TextInput
            label="Account"
            placeholder="chosen automatically if there is only one"
            value={account}
            onChange={(event) => change({ account: event.currentTarget.value })}
          />
        </Group>
        <Group>
          <Button
            loading={save.isPending}
            onClick={() => save.mutate({ endpoint, partition, account })}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
