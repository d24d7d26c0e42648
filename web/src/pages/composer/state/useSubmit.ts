import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ProblemError } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { showSuccess } from "~/components/toasts";
import { parseYaml, submitJob, type TextFault } from "~/jobs/api";
import type { DraftState } from "~/jobs/useDraft";
import { jumpToField } from "../jumpToField";
import { savedGoal } from "../side/plan/goal";
import { useGoal } from "../side/plan/useGoal";

/** The YAML cannot be parsed, so the job is unknown. */
export class BrokenYaml extends Error {
  constructor(readonly faults: TextFault[]) {
    super("The YAML is not valid");
    this.name = "BrokenYaml";
  }
}

/** Submits the job. If that fails, everything typed is kept. */
export function useSubmit(draft: DraftState) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { goal, forget } = useGoal();
  const { project = "", assignment = "" } = useSearch({ from: "/compose" });
  return useMutation({
    mutationFn: async () =>
      submitJob(await newest(draft.work), { project, assignment }, savedGoal(goal)),
    onError: (error) => {
      const first = error instanceof ProblemError ? error.faults[0] : undefined;
      if (first) jumpToField(first.field);
    },
    onSuccess: ({ tasks, job }) => {
      draft.forget();
      forget();
      void queries.invalidateQueries({ queryKey: keys.tasks });
      void queries.invalidateQueries({ queryKey: keys.overview });
      showSuccess(`${job.name} submitted`);
      const task = tasks[0]?.id ?? job.id;
      void navigate({ to: "/tasks/$task", params: { task } });
    },
  });
}

/** Text typed a moment ago may not have reached the form yet. */
async function newest(work: DraftState["work"]) {
  if (work.yaml === null) return work;
  const { spec, faults } = await parseYaml(work.yaml);
  if (spec === null) throw new BrokenYaml(faults);
  return { ...work, spec };
}
