import "@mantine/spotlight/styles.css";
import { Spotlight, type SpotlightActionData, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { endpointsQuery } from "~/endpoints/queries";
import { imageName, imageSearchQuery } from "~/images/api";
import { count } from "~/lib/format";
import { useNavPages } from "./navPages";

/** ⌘K: search pages, endpoints, images and tasks. Each increment of `openCount` opens it. */
export default function Palette({ openCount }: { openCount: number }) {
  const [query, setQuery] = useState("");
  useEffect(() => {
    if (openCount) spotlight.open();
  }, [openCount]);
  const actions = [...usePages(), ...useEndpoints(), ...useImages(query), ...useTasks(query)];
  return (
    <Spotlight
      title="Search or jump to"
      styles={{ header: { display: "none" }, actionDescription: { opacity: 1 } }}
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      nothingFound="No results"
      highlightQuery
      limit={12}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: "Search pages, endpoints, images and tasks",
        "aria-label": "Search",
      }}
    />
  );
}

function usePages(): SpotlightActionData[] {
  const navigate = useNavigate();
  return useNavPages().map(({ to, label, icon: Icon }) => ({
    id: to,
    label,
    leftSection: <Icon size={18} stroke={1.6} aria-hidden />,
    onClick: () => void navigate({ to }),
  }));
}

function useEndpoints(): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data } = useQuery(endpointsQuery);
  return (data?.items ?? []).map((endpoint) => ({
    id: `endpoint ${endpoint.name}`,
    label: endpoint.name,
    description: "Endpoint",
    onClick: () => void navigate({ to: "/endpoints/$name", params: { name: endpoint.name } }),
  }));
}

function useImages(search: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data } = useQuery({ ...imageSearchQuery(search), enabled: search.length > 1 });
  return (data?.items ?? []).map((image) => ({
    id: `image ${image.id}`,
    label: imageName(image),
    description: `Image, ${count(image.packages, "package")}`,
    onClick: () => void navigate({ to: "/images/$image", params: { image: image.id } }),
  }));
}

function useTasks(name: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: [...keys.tasks, "palette", name],
    queryFn: () => dataOf(api.GET("/api/v1/tasks", { params: { query: { name, limit: 8 } } })),
    enabled: name.length > 1,
  });
  return (data?.items ?? []).map((task) => ({
    id: task.id,
    label: task.name,
    description: `Task ${task.id.slice(0, 8)}, ${task.state} on ${task.endpoint}`,
    onClick: () => void navigate({ to: "/tasks/$task", params: { task: task.id } }),
  }));
}
