import { Alert, Button, Group, List, Text } from "@mantine/core";
import { IconPencilPlus, IconZoomExclamation } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { BackLink } from "~/components/BackLink";
import { ContentTabs } from "~/components/ContentTabs";
import { LoadingPage } from "~/components/LoadingPage";
import { Page } from "~/components/Page";
import { TimeAgo } from "~/components/Time";
import { type Image, imageName, imageQuery } from "~/images/api";
import { formatBytes } from "~/lib/format";
import { DefinitionTab } from "./DefinitionTab";
import { ImageMenu } from "./ImageMenu";
import { OverviewTab } from "./OverviewTab";
import { PackagesTab } from "./PackagesTab";
import type { ImageTab } from "./search";
import { UsesTab } from "./UsesTab";

const TABS: Record<ImageTab, { label: string; content: ComponentType<{ image: Image }> }> = {
  overview: { label: "Overview", content: OverviewTab },
  contents: { label: "Packages", content: PackagesTab },
  uses: { label: "Used by", content: UsesTab },
  definition: { label: "Definition", content: DefinitionTab },
};

export function ImagePage() {
  const { image: id } = useParams({ from: "/images/$image" });
  const query = useQuery(imageQuery(id));
  if (query.data) return <LoadedImage image={query.data} />;
  return (
    <LoadingPage title="Image" query={query} back={<BackLink to="/images" label="All images" />} />
  );
}

function LoadedImage({ image }: { image: Image }) {
  const { tab = "overview" } = useSearch({ from: "/images/$image" });
  const navigate = useNavigate({ from: "/images/$image" });
  return (
    <Page
      title={imageName(image)}
      tab={`Image ${imageName(image)}`}
      lead={<Lead image={image} />}
      actions={<Actions image={image} />}
      wide
    >
      <BuildDifferences image={image} />
      <ContentTabs
        tabs={TABS}
        value={tab}
        props={{ image }}
        onSelect={(next) => void navigate({ search: { tab: next } })}
      />
    </Page>
  );
}

function Lead({ image }: { image: Image }) {
  return (
    <Text size="sm" mt={4} component="div">
      {image.base.reference ? `Based on ${image.base.reference}` : "Virtual environment"},{" "}
      {formatBytes(image.size)}, for {image.platform}, built{" "}
      <TimeAgo at={image.built.at ?? image.created} />
      {!image.name && ". A newer image has this name now"}
    </Text>
  );
}

function Actions({ image }: { image: Image }) {
  return (
    <Group gap="xs">
      <Button
        leftSection={<IconPencilPlus size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/compose" search={{ image: image.id }} {...props} />}
      >
        Use in a job
      </Button>
      <ImageMenu image={image} />
    </Group>
  );
}

/** Two builds of the same recipe with different results: worth knowing, not an error. */
function BuildDifferences({ image }: { image: Image }) {
  if (!image.differences.length) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconZoomExclamation />}
      title="Builds of this recipe differ"
      mb="md"
    >
      <List size="sm" spacing={2}>
        {image.differences.map((difference) => (
          <List.Item key={difference}>{difference}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
