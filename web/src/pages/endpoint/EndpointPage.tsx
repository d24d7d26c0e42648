import { Badge, Button, Group, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Endpoint } from "~/api/client";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { TabList } from "~/components/TabList";
import { TimeAgo } from "~/components/Time";
import { EndpointBadge } from "~/endpoints/EndpointBadge";
import { carrierText, hostText, schedulerText } from "~/endpoints/facts";
import { OfflineAlert, OutdatedAlert } from "~/endpoints/OfflineAlert";
import { endpointQuery } from "~/endpoints/queries";
import { CleanUpTab } from "./clean-up/CleanUpTab";
import { EndpointMenu } from "./EndpointMenu";
import { OverviewTab } from "./OverviewTab";
import { ProfileTab } from "./profile/ProfileTab";
import { QueueTab } from "./QueueTab";
import { SecretsTab } from "./SecretsTab";
import type { Tab } from "./search";

/** One endpoint: what it offers, its site profile, secrets and clean-up. */
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
      <QueryResult query={query}>
        {(shown) => (
          <Stack gap="md">
            {shown.state !== "online" && <OfflineAlert endpoint={shown} />}
            <OutdatedAlert endpoint={shown} />
            <EndpointTabs endpoint={shown} />
          </Stack>
        )}
      </QueryResult>
    </Page>
  );
}

function Lead({ endpoint }: { endpoint: Endpoint }) {
  const facts = [
    endpoint.last_seen != null && schedulerText(endpoint.profile),
    hostText(endpoint),
    carrierText(endpoint),
  ];
  return (
    <Group gap="xs" mt={4}>
      <EndpointBadge endpoint={endpoint} />
      {endpoint.default && <Badge color="gray">default</Badge>}
      <span>
        {facts.filter(Boolean).join(" · ")}
        {endpoint.last_seen != null && (
          <>
            {" · last seen "}
            <TimeAgo at={endpoint.last_seen} />
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
        View tasks
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
        <Tabs.Tab value="queue">Queue and use</Tabs.Tab>
        <Tabs.Tab value="profile">Site profile</Tabs.Tab>
        <Tabs.Tab value="secrets">Secrets</Tabs.Tab>
        <Tabs.Tab value="upkeep">Clean-up</Tabs.Tab>
      </TabList>
      <Tabs.Panel value="overview">
        <OverviewTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="queue">
        <QueueTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="profile">
        <ProfileTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="secrets">
        <SecretsTab endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="upkeep">
        <CleanUpTab endpoint={endpoint} />
      </Tabs.Panel>
    </Tabs>
  );
}
