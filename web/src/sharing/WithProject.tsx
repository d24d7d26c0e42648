import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "~/api/projects";
import type { Share } from "~/api/shares";

type WithProjectProps = { shares: Share[]; onAdd: (project: string) => void };

/** One of the person's own projects that it is not shared with yet. */
export function WithProject({ shares, onAdd }: WithProjectProps) {
  const { data } = useQuery(projectsQuery);
  const known = new Set(shares.map((one) => one.with_id));
  const left = (data?.items ?? []).filter((one) => !known.has(one.id));
  if (!data?.items.length) return null;
  return (
    <Select
      label="Project"
      placeholder={
        left.length ? "everyone in one of your projects" : "shared with all your projects"
      }
      data={left.map((one) => ({ value: one.id, label: one.title || one.name }))}
      value={null}
      onChange={(id) => id && onAdd(id)}
      disabled={!left.length}
    />
  );
}
