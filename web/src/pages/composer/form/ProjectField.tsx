import { Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { meQuery } from "~/people/me";
import { projectsQuery } from "~/projects/api";
import { useComposer } from "../state/context";

/** Who can see the job. Shown to members of active projects. */
export function ProjectField() {
  const { draft, composition } = useComposer();
  const { project, assignment } = useSearch({ from: "/compose" });
  const navigate = useNavigate({ from: "/compose" });
  const { data: me } = useQuery(meQuery);
  const { data } = useQuery({ ...projectsQuery, enabled: me?.mode === "shared" });
  const projects = (data?.items ?? []).filter(
    (project) => project.archived == null && project.role !== "viewer",
  );
  const chosen = projects.find(
    (candidate) => candidate.id === project || candidate.name === project,
  );
  const fault = composition?.faults.find((fault) => fault.field === "project");
  if (!projects.length) return null;
  if (assignment) {
    return (
      <Text size="sm">
        Your copy of <b>{assignment}</b> in {chosen?.title || chosen?.name}. Your instructor can see
        it.
      </Text>
    );
  }
  const choose = (next: string | null) => {
    draft.change((work) => work); // In another project it is another job.
    void navigate({ search: (now) => ({ ...now, project: next ?? undefined }), replace: true });
  };
  return (
    <Select
      label="Project"
      description={
        chosen?.course
          ? "The course's managers can see the job, its logs and its results."
          : chosen
            ? "Everyone in the project can see the job, its logs and its results."
            : "Only you can see the job. You can share it later."
      }
      error={fault && `${fault.message}. ${fault.hint}`}
      placeholder="none (private)"
      data={projects.map((project) => ({
        value: project.id,
        label: project.title || project.name,
      }))}
      value={chosen?.id ?? null}
      onChange={choose}
      clearable
      clearButtonProps={{ "aria-label": "Keep the job private" }}
    />
  );
}
