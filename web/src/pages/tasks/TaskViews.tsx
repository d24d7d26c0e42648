import { useNavigate, useSearch } from "@tanstack/react-router";
import { SavedViews } from "~/views/SavedViews";
import { tasksSearch } from "./search";

/** Saved views of this page. */
export function TaskViews() {
  const search = useSearch({ from: "/tasks" });
  const navigate = useNavigate({ from: "/tasks" });
  return (
    <SavedViews
      page="tasks"
      query={search}
      onOpen={(view) => void navigate({ search: tasksSearch(view.query) })}
    />
  );
}
