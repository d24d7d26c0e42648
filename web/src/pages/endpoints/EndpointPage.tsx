import { Badge, Button, Group, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Endpoint } from "~/api/client";
import { endpointQuery } from "~/api/queries";
import { Answer } from "~/components/Answer";
import { EndpointBadge } from "~/components/EndpointBadge";
import { Page } from "~/components/Page";
import { TabList } from "~/components/TabList";
import { Ago } from "~/components/Time";
import { Away, Outdated } from "./Away";
import { EndpointMenu } from "./EndpointMenu";
import { carrierWords, placeWords, schedulerWords } from "./facts";
import { OverviewTab } from "./OverviewTab";
import { ProfileTab } from "./profile/ProfileTab";
import { SecretsTab } from "./SecretsTab";
import type { Tab } from "./search";
import { UpkeepTab } from "./upkeep/UpkeepTab";

/** One machine: what it offers, what Diamond believes about it, what lies there. */
export function EndpointPage() {
  const { name } = useParams({ from: "/endpoints/$name" });
  const query = useQuery(endpointQuery(name));
  const endpoint = query.data;
  return (
    <Page
      title={name}
      tab={`${name}, endpoint`}
      lead={endpoint && <Lead endpoint={endpoint} />}
      actions={endpoint && <Actions endpoint={endpoint} />}
    >
      <Answer query={query}>
        {(shown) => (
          <Stack gap="md">
            {shown.state !== "online" && <Away endpoint={shown} />}
            <Outdated endpoint={shown} />
            <EndpointTabs endpoint={shown} />
          </Stack>
        )}
      </Answer>
    </Page>
  );
}

function Lead({ endpoint }: { endpoint: Endpoint }) {
  const words = [
    endpoint.last_seen != null && schedulerWords(endpoint.profile),
    placeWords(endpoint),
    carrierWords(endpoint),
  ];
  return (
    <Group gap="xs" mt={4}>
      <EndpointBadge endpoint={endpoint} />
      {endpoint.default && <Badge color="gray">default</Badge>}
      <span>
        {words.filter(Boolean).join(" · ")}
        {endpoint.last_seen != null && (
          <>
            {" · last seen "}
            <Ago at={endpoint.last_seen} />
          </>
        )}
      </span>
    </Group>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/tasks" search={{ endpoint: endpoint.name }} {...props} />}
      >
        Its tasks
      </Button>
      <EndpointMenu endpoint={endpoint} />
    </>
  );
}

function EndpointTabs({ endpoint }: { endpoint: Endpoint }) {
  const { tab = "overview" } = useSearch({ from: "/endpoints/$name" });
  const navigate = useNavigate();
  const go = (next: string | null) =>
    void navigate({
      to: "/endpoints/$name",
      params: { name: endpoint.name },
      search: next === "overview" ? {} : { tab: next as Tab },
    });
  return (
    <Tabs value={tab} onChange={go} keepMounted={false}>
      <TabList value={tab} mb="md">
        <Tabs.Tab value="overview">Overview</Tabs.Tab>
        <Tabs.Tab value="profile">Site profile</Tabs.Tab>
        <Tabs.Tab value="secrets">Secrets</Tabs.Tab>
        <Tabs.Tab value="upkeep">Cleaning up</Tabs.Tab>
      </TabList>
      <Tabs.Panel value="overview">
        <OverviewTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="profile">
        <ProfileTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="secrets">
        <SecretsTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="upkeep">
        <UpkeepTab endpoint={endpoint} />
      </Tabs.Panel>
    </Tabs>
  );
}
