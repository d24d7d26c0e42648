import { Button, NumberInput, Stack, TextInput } from "@mantine/core";
import {
  IconBox,
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
} from "@tabler/icons-react";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { exportAddress, type StudyDetail, studiesApi } from "~/studies/api";

/** Pause, resume, raise, cancel and export. */
export function StudyMenu({ study }: { study: StudyDetail }) {
  const [raising, setRaising] = useState(false);
  const act = (call: () => Promise<unknown>, success: string) => ({
    call,
    refresh: [keys.studies],
    success,
    onError: showError,
  });
  const pause = useAction(act(() => studiesApi.pause(study.id), "Paused: running trials continue"));
  const resume = useAction(act(() => studiesApi.resume(study.id), "The study was resumed"));
  const cancel = useAction(act(() => studiesApi.cancel(study.id), "Ending its trials"));
  const register = useAction({
    call: () => studiesApi.register(study.id),
    refresh: [keys.studies, keys.models],
    success: (version) => `Registered as ${version.model}@v${version.number}`,
    onError: showError,
  });
  return (
    <>
      {study.best?.task && (
        <Button
          variant="default"
          leftSection={<IconBox size={16} aria-hidden />}
          onClick={() => register.run()}
          loading={register.isPending}
        >
          Register model
        </Button>
      )}
      {study.state === "running" && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} aria-hidden />}
          onClick={() => pause.run()}
          loading={pause.isPending}
        >
          Pause
        </Button>
      )}
      {study.state === "paused" && (
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          onClick={() => resume.run()}
          loading={resume.isPending}
        >
          Resume
        </Button>
      )}
      {study.state !== "cancelled" && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setRaising(true)}
        >
          More trials
        </Button>
      )}
      {(study.state === "running" || study.state === "paused") && (
        <Button
          variant="default"
          color="red"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => cancel.run()}
          loading={cancel.isPending}
        >
          Cancel
        </Button>
      )}
      <Button
        component="a"
        href={exportAddress(study.id)}
        download
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        CSV
      </Button>
      {raising && <RaiseDialog study={study} onClose={() => setRaising(false)} />}
    </>
  );
}

function RaiseDialog({ study, onClose }: { study: StudyDetail; onClose: () => void }) {
  const [trials, setTrials] = useState<number | string>(study.trials);
  const [parallel, setParallel] = useState<number | string>(study.parallel);
  const [budget, setBudget] = useState(study.budget);
  const save = useAction({
    call: () =>
      studiesApi.raise(study.id, {
        trials: Number(trials),
        parallel: Number(parallel),
        ...(budget && budget !== study.budget ? { budget } : {}),
      }),
    refresh: [keys.studies],
    success: "Changed",
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title="More trials"
      onClose={onClose}
      onSubmit={() => save.run()}
      submitLabel="Change"
      isPending={save.isPending}
      error={save.error}
    >
      <Stack gap="sm">
        <NumberInput label="Total trials" min={1} value={trials} onChange={setTrials} />
        <NumberInput label="At the same time" min={0} value={parallel} onChange={setParallel} />
        <TextInput
          label="Budget"
          placeholder="40 node-hours"
          value={budget}
          onChange={(event) => setBudget(event.currentTarget.value)}
        />
      </Stack>
    </FormDialog>
  );
}
