import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "~/projects/api";
import type { Share } from "./api";

type ShareWithProjectProps = { shares: Share[]; onAdd: (project: string) => void };

/** One of your projects that the item is not shared with yet. */
export function ShareWithProject({ shares, onAdd }: ShareWithProjectProps) {
  const { data } = useQuery(projectsQuery);
  const sharedWith = new Set(shares.map((share) => share.with_id));
  const remaining = (data?.items ?? []).filter((project) => !sharedWith.has(project.id));
  if (!data?.items.length) return null;
  return (
    <Select
      label="Share with a project"
      placeholder={
        remaining.length ? "everyone in one of your projects" : "shared with all your projects"
      }
      data={remaining.map((project) => ({
        value: project.id,
        label: project.title || project.name,
      }))}
      value={null}
      onChange={(id) => id && onAdd(id)}
      disabled={!remaining.length}
    />
  );
}
