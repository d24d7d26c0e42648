import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { meQuery } from "~/people/me";

/** Links to your own endpoint; others' endpoints have no page for you. */
export function EndpointName({ task }: { task: Task }) {
  const { data: me } = useQuery(meQuery);
  if (me && me.id !== task.owner) return task.endpoint;
  return (
    <Anchor
      underline="always"
      size="sm"
      renderRoot={(props) => (
        <Link to="/endpoints/$name" params={{ name: task.endpoint }} {...props} />
      )}
    >
      {task.endpoint}
    </Anchor>
  );
}
