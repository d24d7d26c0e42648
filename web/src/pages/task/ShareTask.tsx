import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { showError, showSuccess } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { projectsQuery } from "~/projects/api";
import { jobSharing } from "~/sharing/api";
import { ShareDialog } from "~/sharing/ShareDialog";

/** Who can see the job, and the project it belongs to. */
export default function ShareTask({ task, onClose }: { task: Task; onClose: () => void }) {
  return (
    <ShareDialog
      title={`Share ${task.name}`}
      about="Others can see the task's state, logs, metrics, results and code. They cannot change it or run anything as you."
      name={task.job}
      sharing={jobSharing(task.job)}
      onClose={onClose}
    >
      <ProjectSelect task={task} />
    </ShareDialog>
  );
}

function ProjectSelect({ task }: { task: Task }) {
  const queries = useQueryClient();
  const { data } = useQuery(projectsQuery);
  const move = useAction({
    call: (project: string) =>
      dataOf(
        api.PUT("/api/v1/jobs/{job}/project", {
          params: { path: { job: task.job } },
          body: { project },
        }),
      ),
    refresh: [keys.tasks, keys.task(task.id)],
    onSuccess: () => {
      showSuccess("Project changed.");
      void queries.invalidateQueries({ queryKey: keys.projects });
    },
    onError: showError,
  });
  if (!data?.items.length) return null;
  return (
    <Select
      label="Belongs to project"
      description="Everyone in the project can see the task. Managers can cancel it."
      placeholder="none (private)"
      data={data.items.map((project) => ({
        value: project.id,
        label: project.title || project.name,
      }))}
      value={task.project || null}
      onChange={(project) => move.run(project ?? "")}
      disabled={move.isPending}
      clearable
      clearButtonProps={{ "aria-label": "Remove from the project" }}
    />
  );
}
