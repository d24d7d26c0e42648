import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { showSuccess } from "~/components/toasts";
import { imageName, imagesApi } from "~/images/api";
import type { DraftState } from "~/jobs/useDraft";
import { type BuilderWork, requestOf } from "./work";

/** Starts the build. If that fails, everything typed is kept. */
export function useBuild(draft: DraftState<BuilderWork>) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => imagesApi.build(requestOf(draft.work), draft.work.key),
    onSuccess: ({ build, image, warnings }) => {
      draft.forget();
      void queries.invalidateQueries({ queryKey: keys.tasks });
      void queries.invalidateQueries({ queryKey: keys.images });
      for (const warning of warnings) showSuccess(warning);
      if (build) {
        queries.setQueryData(keys.build(build.task.id), build);
        void navigate({ to: "/build/$task", params: { task: build.task.id } });
      } else if (image) {
        showSuccess(`${imageName(image)} already exists: nothing to build`);
        void navigate({ to: "/images/$image", params: { image: image.id } });
      }
    },
  });
}
