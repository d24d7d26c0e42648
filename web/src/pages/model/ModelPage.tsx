import { Badge, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { BackLink } from "~/components/BackLink";
import { ContentTabs } from "~/components/ContentTabs";
import { LoadingPage } from "~/components/LoadingPage";
import { Page } from "~/components/Page";
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
    <LoadingPage title="Model" query={query} back={<BackLink to="/models" label="All models" />} />
  );
}

function LoadedModel({ model }: { model: Model }) {
  const { tab = "card" } = useSearch({ from: "/models/$model" });
  const navigate = useNavigate({ from: "/models/$model" });
  return (
    <Page
      title={model.name}
      tab={`Model ${model.name}`}
      lead={<Lead model={model} />}
      actions={model.is_own ? <ModelMenu model={model} /> : undefined}
    >
      <ContentTabs
        tabs={TABS}
        value={tab}
        props={{ model }}
        onSelect={(next) => void navigate({ search: { tab: next } })}
      />
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
