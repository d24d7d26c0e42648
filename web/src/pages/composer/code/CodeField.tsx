import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { withValue } from "~/jobs/spec/draft";
import { fromForm, type Work } from "~/jobs/work";
import classes from "../Composer.module.css";
import { TextField } from "../form/fields";
import { useComposer, useField } from "../state/context";
import { FolderField } from "./FolderField";
import { RecipeCode } from "./RecipeCode";

type Kind = "none" | "folder" | "git";
const KINDS: { value: Kind; label: string }[] = [
  { value: "none", label: "None" },
  { value: "folder", label: "Folder" },
  { value: "git", label: "Git commit" },
];
const HELP: Record<Kind, string> = {
  none: "The command uses files that are already on the endpoint.",
  folder: "The files are uploaded with the job, so you can repeat the run exactly.",
  git: "The endpoint fetches the code with your account; ssh addresses use your keys there.",
};

/** Where the program's files come from. */
export function CodeField() {
  const { draft } = useComposer();
  const field = useField("code");
  const [chosen, setChosen] = useState<Kind | null>(null);
  const { work } = draft;
  if (work.recipe) return <RecipeCode name={work.recipe} />;
  const kind = chosen ?? (isNotebook(work) && kindOf(work) === "none" ? "folder" : kindOf(work));
  const choose = (next: string) => {
    setChosen(next as Kind);
    if (next !== kindOf(work)) draft.change(withoutCode);
  };
  return (
    <Stack gap={6} id={field.id} tabIndex={-1}>
      <Text size="sm" fw={500} id="code-label">
        Code
      </Text>
      <Group>
        <SegmentedControl
          className={classes.segments}
          aria-labelledby="code-label"
          data={KINDS}
          value={kind}
          onChange={choose}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {HELP[kind]}
      </Text>
      {kind === "folder" && <FolderField />}
      {kind === "git" && <GitField />}
      {kind !== "git" && field.fault && (
        <Text size="xs" c="var(--mantine-color-error)">
          {field.fault}
        </Text>
      )}
    </Stack>
  );
}

function GitField() {
  return (
    <TextField
      path="code"
      aria-label="Git address and commit"
      placeholder="https://github.com/you/model@3f2a91c"
      help="ADDRESS@COMMIT. The commit makes the run repeatable. Do not include a password."
    />
  );
}

function kindOf(work: Work): Kind {
  if (work.code?.snapshot) return "folder";
  const { code } = work.spec;
  if (code === undefined || code === null) return "none";
  return typeof code === "string" && /:\/\/|^git@/.test(code) ? "git" : "folder";
}

/** A notebook is a file, so it nearly always needs a code folder. */
function isNotebook(work: Work): boolean {
  return work.spec.notebook !== undefined;
}

function withoutCode(work: Work): Work {
  const spec = withValue(work.spec, "code", undefined);
  return fromForm(work, { spec, code: null, codeName: "", notebooks: [] });
}
