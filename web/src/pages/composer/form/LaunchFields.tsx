import { Select } from "@mantine/core";
import { readLaunch, writeLaunch } from "~/jobs/spec/launch";
import { showValue } from "~/jobs/spec/values";
import classes from "../Composer.module.css";
import { labelOf } from "../fieldLabels";
import { useComposer, useField } from "../state/context";
import { useChoices } from "../state/useSpecSchema";
import { CountField, TextField } from "./fields";

const AUTO = "auto";
const LAUNCHERS: Record<string, string> = {
  single: "once, on the first node",
  torchrun: "with torchrun on each node",
  "per-rank": "once per process, with RANK and WORLD_SIZE set",
  mpi: "with MPI",
  accelerate: "with Hugging Face Accelerate on each node",
  jax: "once per process, set up for JAX",
  tensorflow: "once per process, with TF_CONFIG set",
};

/** How the command is started as several processes, and when a hanging one is stopped. */
export function LaunchFields() {
  const field = useField("launch");
  const launch = readLaunch(field.value);
  return (
    <>
      <LauncherField />
      <div className={classes.two}>
        <CountField path="resources.tasks_per_node" help="Default: one per GPU, or one." />
        <TextField
          path="launch.hang"
          value={showValue(launch.hang)}
          onChange={(event) =>
            field.set(writeLaunch({ ...launch, hang: event.currentTarget.value }))
          }
          placeholder="30m"
          help="Without a step or output. Default: based on its pace so far."
        />
      </div>
    </>
  );
}

function LauncherField() {
  const { composition } = useComposer();
  const field = useField("launch");
  const launch = readLaunch(field.value);
  const chosen = launch.kind || AUTO;
  const detected = composition?.order?.launch?.kind;
  const kinds = useChoices("$defs.LaunchSpec.properties.kind");
  const all = kinds.includes(chosen) ? kinds : [...kinds, chosen];
  return (
    <Select
      id={field.id}
      label={labelOf("launch")}
      data={all.map((kind) => ({ value: kind, label: launcherLabel(kind, detected) }))}
      value={chosen}
      onChange={(kind) =>
        field.set(writeLaunch({ ...launch, kind: kind === AUTO ? "" : (kind ?? "") }))
      }
      onBlur={field.touch}
      error={field.fault}
      allowDeselect={false}
      comboboxProps={{ keepMounted: false }}
    />
  );
}

function launcherLabel(kind: string, detected: string | undefined): string {
  if (kind === AUTO)
    return detected ? `Automatic: ${detected}, detected from the command` : "Automatic";
  return LAUNCHERS[kind] ? `${kind}: ${LAUNCHERS[kind]}` : kind;
}
