import { Button, Group, SegmentedControl, Select, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Preferences, preferencesQuery, useKeepPreferences } from "~/api/me";
import { endpointsQuery } from "~/api/queries";
import { Answer } from "~/components/Answer";
import { sayDone } from "~/components/say";
import { type Appearance, useAppearance } from "~/shell/appearance";
import { Section } from "./Section";

export function GeneralTab() {
  const preferences = useQuery(preferencesQuery);
  return (
    <>
      <AppearanceSection />
      <Answer query={preferences}>{(kept) => <DefaultsSection kept={kept} />}</Answer>
    </>
  );
}

function AppearanceSection() {
  const { appearance, setAppearance } = useAppearance();
  return (
    <Section
      title="Appearance"
      about="For this browser at once, and for others in which you have not chosen yet."
    >
      <SegmentedControl
        aria-label="Appearance"
        value={appearance}
        onChange={(chosen) => setAppearance(chosen as Appearance)}
        data={[
          { value: "auto", label: "As my system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        style={{ alignSelf: "flex-start" }}
      />
    </Section>
  );
}

/** What a new job starts with; each job may say otherwise. */
function DefaultsSection({ kept }: { kept: Preferences }) {
  const [endpoint, setEndpoint] = useState(kept.endpoint);
  const [partition, setPartition] = useState(kept.partition);
  const [account, setAccount] = useState(kept.account);
  const keep = useKeepPreferences(() => sayDone("New jobs start with these now."));
  const { data } = useQuery(endpointsQuery);
  return (
    <Section title="New jobs start with" about="Each job can say otherwise.">
      <Stack gap="sm">
        <Select
          label="Endpoint"
          placeholder="the default endpoint"
          data={(data?.items ?? []).map((one) => one.name)}
          value={endpoint || null}
          onChange={(chosen) => setEndpoint(chosen ?? "")}
          clearable
          clearButtonProps={{ "aria-label": "Use the default endpoint" }}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Partition"
            placeholder="what the site takes"
            value={partition}
            onChange={(event) => setPartition(event.currentTarget.value)}
          />
          <TextInput
            label="Account"
            placeholder="the only one that may pay"
            value={account}
            onChange={(event) => setAccount(event.currentTarget.value)}
          />
        </Group>
        <Group>
          <Button
            loading={keep.isPending}
            onClick={() => keep.mutate({ endpoint, partition, account })}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
