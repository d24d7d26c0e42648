import { SegmentedControl } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import classes from "../Composer.module.css";
import type { ComposerSearch, Start } from "../search";

const LABELS: { value: Start; label: string }[] = [
  { value: "command", label: "Command" },
  { value: "recipe", label: "Recipe" },
  { value: "notebook", label: "Notebook" },
  { value: "task", label: "Earlier task" },
];

/** What the job starts from. Each choice has its own address and draft. */
export function StartFrom({ search }: { search: ComposerSearch }) {
  const navigate = useNavigate();
  const go = (start: string) =>
    void navigate({
      to: "/compose",
      search: { tab: search.tab, ...(start === "command" ? {} : { start: start as Start }) },
    });
  return (
    <SegmentedControl
      aria-label="Start from"
      data={LABELS}
      value={startOf(search)}
      onChange={go}
      className={classes.segments}
    />
  );
}

function startOf(search: ComposerSearch): Start {
  if (search.from) return "task";
  return search.recipe ? "recipe" : (search.start ?? "command");
}
