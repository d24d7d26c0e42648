import { Anchor, Badge, Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Page } from "~/components/Page";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TabList } from "~/components/TabList";
import { TimeAgo } from "~/components/Time";
import { type Model, modelQuery } from "~/models/api";
import { CardTab } from "./CardTab";
import { HistoryTab } from "./HistoryTab";
import { ModelMenu } from "./ModelMenu";
import type { ModelTab } from "./search";
import { VersionsTab } from "./VersionsTab";

const TABS: Record<ModelTab, { label: string; content: ComponentType<{ model: Model }> }> = {
  card: { label: "Card", content: CardTab },
  versions: { label: "Versions", content: VersionsTab },
  history: { label: "History", content: HistoryTab },
};

export function ModelPage() {
  const { model: id } = useParams({ from: "/models/$model" });
  const query = useQuery(modelQuery(id));
  if (query.data) return <LoadedModel model={query.data} />;
  return (
    <Page title="Model">
      {query.error ? (
        <>
          <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
          <Anchor
            size="sm"
            mt="md"
            display="inline-block"
            renderRoot={(props) => <Link to="/models" {...props} />}
          >
            All models
          </Anchor>
        </>
      ) : (
        <div aria-busy="true">
          <SkeletonLines count={6} height={44} />
        </div>
      )}
    </Page>
  );
}

function LoadedModel({ model }: { model: Model }) {
  const { tab = "card" } = useSearch({ from: "/models/$model" });
  const navigate = useNavigate({ from: "/models/$model" });
  const Content = TABS[tab].content;
  return (
    <Page
      title={model.name}
      tab={`Model ${model.name}`}
      lead={<Lead model={model} />}
      actions={model.is_own ? <ModelMenu model={model} /> : undefined}
    >
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "card" ? {} : { tab: next as ModelTab } })
        }
        keepMounted={false}
      >
        <TabList value={tab} mb="md">
          {Object.entries(TABS).map(([name, { label }]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </TabList>
        <Tabs.Panel value={tab}>
          <Content model={model} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Lead({ model }: { model: Model }) {
  return (
    <>
      <Text size="sm" component="div">
        {model.is_own ? "" : `Shared by ${model.owner_name}. `}
        {model.newest ? `Newest version: v${model.newest.number}, made ` : "No versions yet"}
        {model.newest && <TimeAgo at={model.newest.created} />}
      </Text>
      <Group gap={6} mt={6}>
        {model.aliases.map(({ alias, version }) => (
          <Badge key={alias} variant="light" tt="none">
            {alias}: v{version}
          </Badge>
        ))}
        {model.tags.map((tag) => (
          <Badge key={tag} variant="outline" color="gray" tt="none">
            {tag}
          </Badge>
        ))}
      </Group>
    </>
  );
}
