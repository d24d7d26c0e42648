import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Task } from "~/api/client";
import { projectsQuery } from "~/api/projects";
import { keys } from "~/api/queries";
import { sharingOfJob } from "~/api/shares";
import { sayDone, sayFailed } from "~/components/say";
import { useDeed } from "~/components/useDeed";
import { ShareDialog } from "~/sharing/ShareDialog";

/** Who sees a job and its results, and the project that it belongs to. */
export default function ShareTask({ task, onClose }: { task: Task; onClose: () => void }) {
  return (
    <ShareDialog
      title={`Share ${task.name}`}
      about="Others can see the task's state, logs, metrics, results and code. They cannot change it or run anything as you."
      name={task.job}
      sharing={sharingOfJob(task.job)}
      onClose={onClose}
    >
      <BelongsTo task={task} />
    </ShareDialog>
  );
}

function BelongsTo({ task }: { task: Task }) {
  const queries = useQueryClient();
  const { data } = useQuery(projectsQuery);
  const move = useDeed({
    by: (project: string) =>
      dataOf(
        api.PUT("/api/v1/jobs/{job}/project", {
          params: { path: { job: task.job } },
          body: { project },
        }),
      ),
    renews: [keys.tasks, keys.task(task.id)],
    onDone: () => {
      sayDone("Project changed.");
      void queries.invalidateQueries({ queryKey: keys.projects });
    },
    onError: sayFailed,
  });
  if (!data?.items.length) return null;
  return (
    <Select
      label="Project"
      description="Everyone in the project can see the task. Managers can cancel it."
      placeholder="none (private)"
      data={data.items.map((one) => ({ value: one.id, label: one.title || one.name }))}
      value={task.project || null}
      onChange={(project) => move.run(project ?? "")}
      disabled={move.isPending}
      clearable
      clearButtonProps={{ "aria-label": "Remove from the project" }}
    />
  );
}
