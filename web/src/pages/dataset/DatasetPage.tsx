import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { BackLink } from "~/components/BackLink";
import { ContentTabs } from "~/components/ContentTabs";
import { LoadingPage } from "~/components/LoadingPage";
import { Page } from "~/components/Page";
import { TimeAgo } from "~/components/Time";
import { type Dataset, datasetQuery } from "~/datasets/api";
import { meQuery } from "~/people/me";
import { datasetSharing } from "~/sharing/api";
import { ShareDialog } from "~/sharing/ShareDialog";
import { FilesTab } from "./FilesTab";
import { OverviewTab } from "./OverviewTab";
import { PlacesTab } from "./PlacesTab";
import type { DatasetTab } from "./search";
import { UsesTab } from "./UsesTab";

const TABS: Record<DatasetTab, { label: string; content: ComponentType<{ dataset: Dataset }> }> = {
  overview: { label: "Overview", content: OverviewTab },
  files: { label: "Files", content: FilesTab },
  places: { label: "Location", content: PlacesTab },
  uses: { label: "Used by", content: UsesTab },
};

export function DatasetPage() {
  const { dataset: id } = useParams({ from: "/datasets/$dataset" });
  const query = useQuery(datasetQuery(id));
  if (query.data) return <LoadedDataset dataset={query.data} />;
  return (
    <LoadingPage
      title="Dataset"
      query={query}
      back={<BackLink to="/datasets" label="All datasets" />}
    />
  );
}

function LoadedDataset({ dataset }: { dataset: Dataset }) {
  const { tab = "overview" } = useSearch({ from: "/datasets/$dataset" });
  const navigate = useNavigate({ from: "/datasets/$dataset" });
  return (
    <Page
      title={dataset.name}
      tab={`Dataset ${dataset.name}`}
      lead={<Lead dataset={dataset} />}
      actions={<ShareButton dataset={dataset} />}
    >
      <ContentTabs
        tabs={TABS}
        value={tab}
        props={{ dataset }}
        onSelect={(next) => void navigate({ search: { tab: next } })}
      />
    </Page>
  );
}

function Lead({ dataset }: { dataset: Dataset }) {
  const { newest } = dataset;
  return (
    <Text size="sm" component="div">
      {newest ? `Newest version: ${newest.name}, added ` : "No versions yet"}
      {newest && <TimeAgo at={newest.created} />}
    </Text>
  );
}

/** Only its owner decides who else sees it, and only a shared Diamond has others. */
function ShareButton({ dataset }: { dataset: Dataset }) {
  const { data: me } = useQuery(meQuery);
  const [isOpen, { open, close }] = useDisclosure(false);
  if (me?.mode !== "shared" || me.id !== dataset.owner) return null;
  return (
    <>
      <Button variant="default" onClick={open}>
        Share
      </Button>
      {isOpen && (
        <ShareDialog
          title={`Share ${dataset.name}`}
          about="Others can see its files and copy it to their own endpoints."
          name={dataset.id}
          sharing={datasetSharing(dataset.id)}
          onClose={close}
        />
      )}
    </>
  );
}
