import { SegmentedControl, Stack } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import type { TaskSearch } from "../search";
import { Changes } from "./Changes";
import { CodeFiles } from "./CodeFiles";
import { ScriptView, SpecView } from "./SpecAndScript";

const PARTS = [
  { value: "spec", label: "Spec" },
  { value: "script", label: "Batch script" },
  { value: "files", label: "Code" },
  { value: "diff", label: "Changes" },
];
const CONTENTS = { spec: SpecView, script: ScriptView, files: CodeFiles, diff: Changes };

/** The spec as submitted, the batch script, and the code. */
export function CodeTab({ task }: { task: Task }) {
  const { part = "spec" } = useSearch({ from: "/tasks/$task" });
  const navigate = useNavigate({ from: "/tasks/$task" });
  const Content = CONTENTS[part];
  return (
    <Stack align="stretch">
      <SegmentedControl
        aria-label="View"
        data={PARTS}
        value={part}
        onChange={(next) =>
          void navigate({
            search: { tab: "code", part: next as TaskSearch["part"] },
            replace: true,
          })
        }
        style={{ alignSelf: "flex-start" }}
      />
      <Content task={task} />
    </Stack>
  );
}
