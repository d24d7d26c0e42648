import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";

/** To a task, by the beginning of its id. `within`: in running text, where a link must not be known by its colour alone. */
export function TaskLink({ task, within = false }: { task: string; within?: boolean }) {
  return (
    <Anchor
      size="sm"
      underline={within ? "always" : "hover"}
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task }} {...props} />}
    >
      {task.slice(0, 8)}
    </Anchor>
  );
}
