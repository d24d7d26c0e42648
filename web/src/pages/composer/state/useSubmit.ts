import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ProblemError } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { showSuccess } from "~/components/toasts";
import { parseYaml, submitJob, type TextFault } from "~/jobs/api";
import type { DraftState } from "~/jobs/useDraft";
import { bodyOf } from "~/jobs/work";
import { studiesApi } from "~/studies/api";
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

/** What was started: a study, or one task. */
type Sent = { name: string; study: string; task: string };

/** Submits the job. If that fails, everything typed is kept. */
export function useSubmit(draft: DraftState) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { goal, forget } = useGoal();
  const { project = "", assignment = "" } = useSearch({ from: "/compose" });
  return useMutation({
    mutationFn: async (): Promise<Sent> => {
      const work = await newest(draft.work);
      if (work.spec.study) {
        const { id, name } = await studiesApi.start({ ...bodyOf(work), project }, work.key);
        return { name, study: id, task: "" };
      }
      const sent = await submitJob(work, { project, assignment }, savedGoal(goal));
      return { name: sent.job.name, study: "", task: sent.tasks[0]?.id ?? sent.job.id };
    },
    onError: (error) => {
      const first = error instanceof ProblemError ? error.faults[0] : undefined;
      if (first) jumpToField(first.field);
    },
    onSuccess: ({ name, study, task }) => {
      draft.forget();
      forget();
      void queries.invalidateQueries({ queryKey: keys.tasks });
      void queries.invalidateQueries({ queryKey: keys.overview });
      void queries.invalidateQueries({ queryKey: keys.studies });
      showSuccess(`${name} submitted`);
      if (study) void navigate({ to: "/studies/$study", params: { study } });
      else void navigate({ to: "/tasks/$task", params: { task } });
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
